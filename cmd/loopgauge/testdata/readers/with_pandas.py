import sys

import pandas as pd
import summary

frames = {}


def source(dir, table):
    if table not in frames:
        frame = pd.read_parquet(f"{dir}/{table}")
        for name in frame.select_dtypes("datetimetz"):
            assert str(frame[name].dtype) == "datetime64[us, UTC]", frame[name].dtype
            frame[name] = frame[name].astype("int64")
        frames[table] = frame
    return frames[table]


def some(dir, table, lists, leaves):
    frame = source(dir, table)
    if not lists:
        return [(values.count(), sum(summary.number(kind, v) for v in values.dropna())) for values, kind in ((frame[name], kind) for name, kind in leaves)]
    return summary.walked(({lists[0]: v} for v in frame[lists[0]]), lists, leaves)


def days(dir, table):
    return source(dir, table).groupby("date", observed=True).size().items()


summary.main(sys.argv[1], some, days)
