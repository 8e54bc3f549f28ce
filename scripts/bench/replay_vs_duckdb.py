"""loopgauge replay beside DuckDB on one log, with the same answer.

usage: replay_vs_duckdb.py LOOPGAUGE LOG [RUNS]

Both count, for eight windows, how often requests repeat (duckdb_counts.py,
policy.yaml). They take turns, on all cores and pinned to one.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys

from measure import run, spread

HERE = pathlib.Path(__file__).resolve().parent


def main():
    loopgauge, log = sys.argv[1:3]
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    replay = [loopgauge, "replay", "--policy", HERE / "policy.yaml"]
    duckdb = [sys.executable, HERE / "duckdb_counts.py", log]

    # Once, outside the measurement, the whole table: this also warms the page cache.
    want = json.loads(run(duckdb).out)
    if (got := table(replay, log)) != want:
        raise SystemExit(f"the answers differ:\nloopgauge {got}\nduckdb    {want}")

    size = os.path.getsize(log)
    taken = collections.defaultdict(list)
    for _ in range(runs):
        for cores, pin in (("all cores", []), ("one core", ["taskset", "-c", "0"])):
            r = run(pin + replay + [log])
            if (got := fired(r.out)) != {w: row["2"] for w, row in want.items()}:
                raise SystemExit(f"the answers differ:\nloopgauge {got}\nduckdb    {want}")
            taken[cores, "loopgauge"].append((r.wall, r.cpu))
            r = run(pin + duckdb)
            if json.loads(r.out) != want:
                raise SystemExit("DuckDB's answers differ from run to run")
            taken[cores, "DuckDB"].append((r.wall, r.cpu))
            taken[cores, "DuckDB, query alone"].append((float(r.err), float("nan")))

    print(f"log of {size / 1e9:.2f} GB, {len(os.sched_getaffinity(0))} cores, {runs} runs each; both gave the same {sum(map(len, want.values()))} counts")
    print(f"{'':10} {'':20} {'wall s: median (least-most)':>28} {'CPU s':>7} {'GB/s':>6} {'times':>6}")
    for (cores, who), values in taken.items():
        wall, least, most = spread(w for w, _ in values)
        cpu = spread(c for _, c in values)[0]
        ours = spread(w for w, _ in taken[cores, "loopgauge"])[0]
        print(f"{cores:10} {who:20} {f'{wall:.2f} ({least:.2f}-{most:.2f})':>28} {cpu:7.2f} {size / wall / 1e9:6.2f} {wall / ours:6.2f}")


def table(replay, log):
    """The counts of duckdb_counts.py from loopgauge's verdicts."""
    thresholds = (2, 3, 4, 6, 10)
    counts = {}
    child = subprocess.Popen(replay + ["--quiet", "--verdicts", "-", log], stdout=subprocess.PIPE)
    for line in child.stdout:
        verdict = json.loads(line)
        row = counts.setdefault(verdict["rule"][1:], {str(n): 0 for n in thresholds})
        for n in thresholds:
            row[str(n)] += verdict["count"] >= n
    if child.wait() != 0:
        raise SystemExit(f"loopgauge: exit code {child.returncode}")
    return counts


def fired(summary):
    """How often each rule fired, by its window: the fourth column of the rules' table."""
    rows = (re.split(r" {2,}", line) for line in summary.splitlines())
    return {row[0][1:]: int(row[3].replace(",", "")) for row in rows if re.fullmatch(r"w\d+", row[0])}


if __name__ == "__main__":
    main()
