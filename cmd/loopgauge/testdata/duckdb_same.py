"""Holds the events and episodes of two datasets to each other, row by row.

usage: duckdb_same.py A B
"""

import sys

import duckdb

for table, order in (("events", "seq"), ("episodes", "id")):
    both = []
    for folder in sys.argv[1:3]:
        both.append(
            duckdb.sql(
                f"select * exclude (date) from read_parquet('{folder}/{table}/*/*.parquet', hive_partitioning = true)"
            )
        )
    a, b = both
    for x, y, what in ((a, b, "missing"), (b, a, "too many")):
        rows = duckdb.sql(f"select * from x except all select * from y order by {order}")
        n = rows.aggregate("count(*)").fetchall()[0][0]
        if n:
            print(rows.limit(3), flush=True)  # as Python objects, times would need pytz
            sys.exit(f"{table}: {n} {what}")
    print(table, duckdb.sql("select count(*) from a").fetchall()[0][0], "equal")
