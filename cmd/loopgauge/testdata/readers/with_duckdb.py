import sys

import duckdb
import summary

NUMBER = {"int": "{}::HUGEINT", "double": "floor({} * 1e6)::HUGEINT", "text": "length({})", "bool": "{}::INT", "time": f"epoch_us({{}}) % {summary.PRIME}"}
db = duckdb.connect()


def source(dir, table):
    return f"read_parquet('{dir}/{table}/**/*.parquet')"


def some(dir, table, lists, leaves):
    return summary.pairs(db.execute(summary.sql(source(dir, table), lists, leaves, "unnest", NUMBER)).fetchone())


def days(dir, table):
    return db.execute(f"SELECT date, count(*) FROM {source(dir, table)} GROUP BY date").fetchall()


summary.main(sys.argv[1], some, days)
