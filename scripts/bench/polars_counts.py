"""What duckdb_counts.py counts, as Polars counts it.

usage: polars_counts.py LOG
"""

import json
import sys
import time

import polars as pl

from axes import THRESHOLDS, WINDOWS

SCHEMA = {
    "endTime": pl.Float64,
    "model_group": pl.String,
    "metadata": pl.Struct({"user_api_key_hash": pl.String}),
    "messages": pl.List(pl.Struct({"content": pl.String})),
}


def main():
    start = time.perf_counter()
    texts = pl.col("messages").list.tail(3).list.eval(
        pl.element().struct.field("content").fill_null("").str.strip_chars(" \t\n\r\v\f").str.to_lowercase()
    )
    requests = (
        pl.scan_ndjson(sys.argv[1], schema=SCHEMA, ignore_errors=True)
        .select(
            t=(pl.col("endTime") * 1e6).round().cast(pl.Int64),
            kind=pl.concat_list(pl.col("metadata").struct.field("user_api_key_hash"), pl.col("model_group"), texts).hash(),
        )
        .sort("t")
        .collect()
    )
    table = {}
    for w in WINDOWS:
        # rolling() closes on the right: (t - w, t]; equal times count each other, as in DuckDB's RANGE.
        counts = (
            requests.lazy()
            .with_columns(at=pl.from_epoch("t", time_unit="us"))
            .rolling(index_column="at", period=f"{w}s", group_by="kind")
            .agg(n=pl.len())
            .collect()["n"]
        )
        table[w] = {n: int((counts >= n).sum()) for n in THRESHOLDS}
    print(time.perf_counter() - start, file=sys.stderr)
    print(json.dumps(table))


if __name__ == "__main__":
    main()
