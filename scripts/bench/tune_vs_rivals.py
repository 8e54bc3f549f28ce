"""loopgauge tune with all its rules beside rivals that count one rule.

usage: tune_vs_rivals.py LOOPGAUGE LOG [RUNS]

The rivals count, for eight windows, how often requests repeat: what
duckdb_counts.py says. Tune does that for its rule aisg, and for all others,
and its counts for that rule have to be theirs. They take turns.
"""

import collections
import json
import os
import pathlib
import sys

from axes import THRESHOLDS, WINDOWS
from measure import run, spread

HERE = pathlib.Path(__file__).resolve().parent


def main():
    loopgauge, log = sys.argv[1:3]
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    size = os.path.getsize(log)
    ours = {
        "tune, all rules": [loopgauge, "tune", "--json", log],
        "tune, one rule": [loopgauge, "tune", "--json", "--profile", "aisg", log],
        "tune, one rule, one window": [loopgauge, "tune", "--json", "--profile", "aisg", "--window", "1m", log],
        "tune, one rule, one threshold": [loopgauge, "tune", "--json", "--profile", "aisg", "--threshold", "6..6", log],
    }
    rivals = {who: [sys.executable, HERE / f"{who.lower()}_counts.py", log] for who in ("DuckDB", "Polars", "ClickHouse")}

    want = {who: json.loads(run(command).out) for who, command in rivals.items()}
    want["loopgauge"] = counts(json.loads(run(ours["tune, all rules"]).out))
    if len({json.dumps(w, sort_keys=True) for w in want.values()}) != 1:
        raise SystemExit("the answers differ:\n" + "\n".join(f"{who}: {w}" for who, w in want.items()))

    taken = collections.defaultdict(list)
    for _ in range(runs):
        for who, command in (ours | rivals).items():
            r = run(command)
            taken[who].append((r.wall, r.cpu))
    print(f"{pathlib.Path(log).name}: {size / 1e9:.2f} GB, {len(os.sched_getaffinity(0))} cores, {runs} runs each; all gave the same {len(WINDOWS) * len(THRESHOLDS)} counts")
    print(f"{'':30} {'wall s: median (least-most)':>28} {'CPU s':>7} {'CPU times':>9}")
    base = spread(c for _, c in taken["tune, all rules"])[0]
    for who, values in taken.items():
        wall, least, most = spread(w for w, _ in values)
        cpu = spread(c for _, c in values)[0]
        print(f"{who:30} {f'{wall:.2f} ({least:.2f}-{most:.2f})':>28} {cpu:7.2f} {cpu / base:9.2f}")


def counts(document):
    """The counts of duckdb_counts.py from tune's sweep."""
    table = {str(w): {str(n): 0 for n in THRESHOLDS} for w in WINDOWS}
    for cell in document["sweep"]:
        window = str(int(cell["window_s"]))
        if (cell["rule"], cell["kind"]) == ("aisg", "sliding") and str(cell["threshold"]) in table[window]:
            table[window][str(cell["threshold"])] = cell["requests"]
    return table


if __name__ == "__main__":
    main()
