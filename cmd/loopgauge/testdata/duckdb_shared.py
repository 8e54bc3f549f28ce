"""Holds what several processes wrote to a dataset to what one wrote of the same
log: every row once, every verdict beside its request, the same account.

usage: duckdb_shared.py ONE SHARED
"""

import sys

import duckdb

one, shared = sys.argv[1:3]


def read(folder, table):
    return duckdb.sql(f"select * exclude (date) from read_parquet('{folder}/{table}/date=*/*.parquet', hive_partitioning = true)")


def value(query):
    return duckdb.sql(query).fetchall()[0][0]


for table, numbered in (("events", True), ("verdicts", True), ("episodes", False)):
    a, b = read(one, table), read(shared, table)
    for x, y, what in (("a", "b", "missing"), ("b", "a", "too many")):
        columns = "* exclude (seq)" if numbered else "*"
        rows = duckdb.sql(f"select {columns} from {x} except all select {columns} from {y}")
        n = rows.aggregate("count(*)").fetchall()[0][0]
        if n:
            print(rows.limit(3), flush=True)
            sys.exit(f"{table}: {n} {what}")
    print(table, value("select count(*) from a"), "equal")

events, verdicts = read(shared, "events"), read(shared, "verdicts")
requests, numbers = duckdb.sql(
    "select count(distinct (stream, line, item)), count(distinct seq) from events"
).fetchall()[0]
if requests != numbers:
    sys.exit(f"{requests} requests have {numbers} numbers")
alone = value(
    "select count(*) from verdicts v where not exists (select 1 from events e where e.seq = v.seq and e.time = v.time and e.id is not distinct from v.id)"
)
if alone:
    sys.exit(f"{alone} verdicts are beside no request")
parts = value(f"select count(*) from glob('{shared}/events/date=*/*.parquet')")



def account(folder):
    run = f"read_parquet('{folder}/run/run.parquet')"
    rules = "r.rule, r.judged, r.counted, r.not_matched, list_sort(r.not_computable), r.fell_back, r.fired, r.episodes"
    return [
        *duckdb.sql(f"select judged, duplicate, excluded from {run}").fetchall(),
        *duckdb.sql(f"select {rules} from (select unnest(rules) as r from {run})").fetchall(),
    ]


said = account(one), account(shared)
if said[0] != said[1]:
    sys.exit(f"accounts differ:\n{said[0]}\n{said[1]}")
print(requests, "requests in", parts, "files")
