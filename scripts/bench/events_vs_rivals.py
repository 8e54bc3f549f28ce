"""loopgauge tune beside rivals, over the same events.

usage: events_vs_rivals.py LOOPGAUGE DATASET [RUNS]
       events_vs_rivals.py DuckDB|ClickHouse DATASET

All count, for eight windows, how often a fingerprint repeats in its session;
tune counts by four more kinds besides, finds episodes, classifies and advises.
They take turns, and the counts have to be the same.
"""

import collections
import json
import os
import sys

from axes import THRESHOLDS, WINDOWS
from measure import run, spread


def main():
    who, dataset = sys.argv[1:3]
    if who in RIVALS:
        row = iter(RIVALS[who](f"{dataset}/events/*/*.parquet"))
        print(json.dumps({str(w): {str(n): int(next(row)) for n in THRESHOLDS} for w in WINDOWS}))
        return
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    commands = {"tune": [who, "tune", "--json", "--policy", "scripts/bench/events.yaml", dataset]}
    commands |= {rival: [sys.executable, __file__, rival, dataset] for rival in RIVALS}
    taken, answers = collections.defaultdict(list), {}
    for _ in range(runs):
        for name, command in commands.items():
            r = run(command)
            taken[name].append(r)
            answers[name] = counts(json.loads(r.out)) if name == "tune" else json.loads(r.out)
    if any(answer != answers["tune"] for answer in answers.values()):
        raise SystemExit("the answers differ:\n" + "\n".join(f"{name}: {answer}" for name, answer in answers.items()))
    size = sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(dataset) for f in files)
    print(f"events of {size / 1e6:.0f} MB, {len(os.sched_getaffinity(0))} cores, {runs} runs each; all gave the same {len(WINDOWS) * len(THRESHOLDS)} counts")
    print(f"{'':12} {'wall s':>8} {'CPU s':>8} {'RSS MB':>8}")
    for name, list_ in taken.items():
        wall, cpu, rss = (spread(values)[0] for values in ((r.wall for r in list_), (r.cpu for r in list_), (r.rss for r in list_)))
        print(f"{name:12} {wall:8.2f} {cpu:8.2f} {rss / 1e6:8.0f}")


def duckdb_row(files):
    import duckdb

    counted = ", ".join(
        f"count(*) OVER (PARTITION BY session, fingerprint ORDER BY t RANGE BETWEEN {w * 1_000_000 - 1} PRECEDING AND CURRENT ROW) AS c{w}" for w in WINDOWS
    )
    sums = ", ".join(f"count(*) FILTER (c{w} >= {n})" for w in WINDOWS for n in THRESHOLDS)
    db = duckdb.connect(config={"threads": len(os.sched_getaffinity(0))})
    return db.execute(f"WITH counted AS (SELECT {counted} FROM (SELECT session, fingerprint, epoch_us(time) AS t FROM read_parquet('{files}'))) SELECT {sums} FROM counted").fetchone()


def clickhouse_row(files):
    import chdb

    counted = ", ".join(f"arrayMap(i -> i + 1 - arrayFirstIndex(x -> x > ts[i] - {w * 1_000_000}, ts), arrayEnumerate(ts)) AS c{w}" for w in WINDOWS)
    sums = ", ".join(f"sum(arrayCount(c -> c >= {n}, c{w}))" for w in WINDOWS for n in THRESHOLDS)
    return str(
        chdb.query(
            f"""WITH kinds AS (
              SELECT arraySort(groupArray(toUnixTimestamp64Micro(time))) AS ts FROM file('{os.path.abspath(files)}', 'Parquet')
              GROUP BY session, fingerprint HAVING length(ts) > 1),
            counted AS (SELECT ts, {counted} FROM kinds)
            SELECT {sums} FROM counted SETTINGS max_threads = {len(os.sched_getaffinity(0))} FORMAT TSV"""
        )
    ).split()


def counts(document):
    """The counts of the rivals from tune's sweep."""
    table = {str(w): {str(n): 0 for n in THRESHOLDS} for w in WINDOWS}
    for cell in document["sweep"]:
        if cell["kind"] == "sliding" and str(cell["threshold"]) in table[str(int(cell["window_s"]))]:
            table[str(int(cell["window_s"]))][str(cell["threshold"])] = cell["requests"]
    return table


RIVALS = {"DuckDB": duckdb_row, "ClickHouse": clickhouse_row}

if __name__ == "__main__":
    main()
