import json
import sys

import summary
from chdb import session

NUMBER = {"int": "toInt128({})", "double": "toInt128(floor({} * 1e6))", "text": "toInt128(lengthUTF8({}))", "bool": "toInt128({})", "time": f"toInt128(toUnixTimestamp64Micro({{}}) % {summary.PRIME})"}
db = session.Session()


def ask(sql):
    return [json.loads(row) for row in str(db.query(sql, "JSONCompactEachRow")).splitlines()]


def source(dir, table):
    return f"file('{dir}/{table}/**/*.parquet', Parquet)"


def some(dir, table, lists, leaves):
    return summary.pairs(ask(summary.sql(source(dir, table), lists, leaves, "arrayJoin", NUMBER))[0])


def days(dir, table):
    return ask(f"SELECT date, count() FROM {source(dir, table)} GROUP BY date")


summary.main(sys.argv[1], some, days)
