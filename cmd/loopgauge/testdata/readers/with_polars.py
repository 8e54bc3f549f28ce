import sys

import polars as pl
import summary

NUMBER = {
    "int": lambda v: v.cast(pl.Int64),
    "double": lambda v: (v * 1e6).floor().cast(pl.Int64),
    "text": lambda v: v.str.len_chars().cast(pl.Int64),
    "bool": lambda v: v.cast(pl.Int64),
    "time": lambda v: v.dt.timestamp("us") % summary.PRIME,
}


def source(dir, table):
    return pl.scan_parquet(f"{dir}/{table}/**/*.parquet", hive_partitioning=table not in ("run", "sweep"))


def some(dir, table, lists, leaves):
    frame = source(dir, table)
    element = pl.col
    for name in lists:
        frame = frame.select(element(name).alias("v")).filter(pl.col("v").list.len() > 0).explode("v")
        element = pl.col("v").struct.field
    columns = []
    for i, (name, kind) in enumerate(leaves):
        value = element(name) if name else pl.col("v")
        columns += [value.count().alias(f"n{i}"), NUMBER[kind](value).sum().alias(f"sum{i}")]
    return summary.pairs(frame.select(columns).collect().row(0))


def days(dir, table):
    return source(dir, table).group_by("date").len().collect().rows()


summary.main(sys.argv[1], some, days)
