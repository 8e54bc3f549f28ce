"""What duckdb_counts.py counts, as ClickHouse (chdb) counts it.

usage: clickhouse_counts.py LOG
"""

import json
import os
import sys
import time

import chdb

from axes import THRESHOLDS, WINDOWS

# A window frame's offset has 32 bits in ClickHouse, which is less than an hour
# in microseconds; so each kind's times are an array.
counts = ",\n".join(
    f"arrayMap(i -> i + 1 - arrayFirstIndex(x -> x > ts[i] - {w * 1_000_000}, ts), arrayEnumerate(ts)) AS c{w}" for w in WINDOWS
)
sums = ",\n".join(f"sum(arrayCount(c -> c >= {n}, c{w}))" for w in WINDOWS for n in THRESHOLDS)

QUERY = """
WITH requests AS (
  SELECT
    toInt64(round(endTime * 1e6)) AS t,
    SHA256(toString(arrayConcat([ifNull(metadata.user_api_key_hash, ''), ifNull(model_group, '')], arrayMap(
      c -> lowerUTF8(replaceRegexpAll(ifNull(c, ''), '^[ \\\\t\\\\n\\\\r\\\\v\\\\f]+|[ \\\\t\\\\n\\\\r\\\\v\\\\f]+$', '')),
      arraySlice(arrayMap(m -> m.content, messages), -3))))) AS kind
  FROM file('{log}', 'JSONEachRow', 'endTime Float64, model_group Nullable(String),
    metadata Tuple(user_api_key_hash Nullable(String)), messages Array(Tuple(content Nullable(String)))')
  SETTINGS input_format_skip_unknown_fields = 1, input_format_json_ignore_unknown_keys_in_named_tuple = 1, max_threads = {threads}
),
kinds AS (SELECT arraySort(groupArray(t)) AS ts FROM requests GROUP BY kind HAVING length(ts) > 1),
counted AS (SELECT ts, {counts} FROM kinds)
SELECT {sums} FROM counted FORMAT TSV
"""


def main():
    start = time.perf_counter()
    threads = len(os.sched_getaffinity(0))
    out = chdb.query(QUERY.format(log=os.path.abspath(sys.argv[1]), threads=threads, counts=counts, sums=sums))
    row = iter(int(x) for x in str(out).split())
    print(time.perf_counter() - start, file=sys.stderr)
    print(json.dumps({w: {n: next(row) for n in THRESHOLDS} for w in WINDOWS}))


if __name__ == "__main__":
    main()
