import collections
import sys

import pyarrow as pa
import pyarrow.dataset as ds
import summary

tables = {}


def source(dir, table):
    if table not in tables:
        rows = ds.dataset(f"{dir}/{table}", partitioning="hive").to_table()
        for i, field in enumerate(rows.schema):
            if pa.types.is_timestamp(field.type):
                assert field.type == pa.timestamp("us", "UTC"), field
                rows = rows.set_column(i, field.name, rows.column(i).cast("int64"))
        tables[table] = rows.to_pylist()
    return tables[table]


def some(dir, table, lists, leaves):
    return summary.walked(source(dir, table), lists, leaves)


def days(dir, table):
    return collections.Counter(row["date"] for row in source(dir, table)).items()


summary.main(sys.argv[1], some, days)
