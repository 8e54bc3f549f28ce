"""Count a sweep again with DuckDB, from the events of a replay.

usage: duckdb_sweep.py DATASET TUNE.json

Says "N counts are equal", or which are not.
"""

import json
import sys

import duckdb

dataset, document = sys.argv[1:]
identities = {"texts": "aisg", "calls": "tool-call"}
with open(document) as f:
    sweep = [c for c in json.load(f)["sweep"] if c["kind"] == "sliding"]

db = duckdb.connect()
db.sql(f"""
    create table events as
    select time, seq, ordinal, fingerprint, identity, coalesce(session, '') as session
    from read_parquet('{dataset}/events/**/*.parquet')
    where fingerprint is not null
""")
wrong = compared = 0
for rule, identity in identities.items():
    scope = "''" if rule == "texts" else "session"
    where = "" if rule == "texts" else "and session <> ''"
    for window in sorted({c["window_s"] for c in sweep}):
        # A request counts once, with the highest count of its fingerprints. Of
        # events at one time, those released later do not count yet.
        counts = dict(db.sql(f"""
            with hits as (
                select seq,
                    count(*) over (
                        partition by {scope}, fingerprint order by time
                        range between interval '{int(window * 1e6) - 1} microseconds' preceding and current row
                    )
                    - count(*) over (partition by {scope}, fingerprint, time)
                    + row_number() over (partition by {scope}, fingerprint, time order by seq, ordinal) as n
                from events where identity = '{identity}' {where}
            ),
            requests as (select seq, max(n) as n from hits group by seq)
            select n, count(*) from requests group by n
        """).fetchall())
        for cell in sweep:
            if cell["rule"] != rule or cell["window_s"] != window:
                continue
            want = sum(k for n, k in counts.items() if n >= cell["threshold"])
            compared += 1
            if want != cell["requests"]:
                wrong += 1
                print(f"{rule}, {window} s, threshold {cell['threshold']}: {cell['requests']}, DuckDB counts {want}")
if compared < 100:
    sys.exit(f"only {compared} counts compared")
if wrong:
    sys.exit(f"{wrong} of {compared} counts differ")
print(f"{compared} counts are equal")
