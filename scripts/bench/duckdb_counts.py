"""How often requests repeat in a LiteLLM log, as DuckDB counts it.

usage: duckdb_counts.py LOG...

Prints one JSON object: for each window in seconds, how many requests were at
least the 2nd, 3rd, ... of their kind in it. A kind is what AISG takes for one:
caller, model, and the last three messages' texts, stripped, in lower case.
Only the columns that this needs are read. The seconds that the query took,
without Python's start, go to standard error.
"""

import json
import os
import sys
import time

import duckdb

from axes import THRESHOLDS, WINDOWS

counts = ",\n".join(
    f"count(*) OVER (PARTITION BY kind ORDER BY t RANGE BETWEEN {w * 1_000_000 - 1} PRECEDING AND CURRENT ROW) AS c{w}"
    for w in WINDOWS
)
sums = ",\n".join(f"count(*) FILTER (c{w} >= {n})" for w in WINDOWS for n in THRESHOLDS)

QUERY = f"""
WITH requests AS (
  SELECT
    round(endTime * 1e6)::BIGINT AS t,
    sha256(to_json([metadata.user_api_key_hash, model_group] || list_transform(
      messages[-3:], lambda m: lower(trim(coalesce(m.content, ''), E' \\t\\n\\r\\v\\f'))))) AS kind
  FROM read_json(?, format = 'newline_delimited', columns = {{
    endTime: 'DOUBLE',
    model_group: 'VARCHAR',
    metadata: 'STRUCT(user_api_key_hash VARCHAR)',
    messages: 'STRUCT(content VARCHAR)[]'
  }})
),
counted AS (SELECT {counts} FROM requests)
SELECT {sums} FROM counted
"""


def main():
    db = duckdb.connect(config={"threads": len(os.sched_getaffinity(0))})
    start = time.perf_counter()
    row = iter(db.execute(QUERY, [sys.argv[1:]]).fetchone())
    print(time.perf_counter() - start, file=sys.stderr)
    print(json.dumps({w: {n: next(row) for n in THRESHOLDS} for w in WINDOWS}))


if __name__ == "__main__":
    main()
