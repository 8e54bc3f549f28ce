"""Peak memory of loopgauge replay on a short and on a four times longer log.

usage: memory.py LOOPGAUGE GROW LOG.jsonl.zst

The grown logs come through a pipe; they need no disk.
"""

import pathlib
import subprocess
import sys

from measure import run, spread

POLICIES = {
    "eight windows": ["--policy", pathlib.Path(__file__).resolve().parent / "policy.yaml"],
    "loopgauge": ["--profile", "loopgauge"],
}
SHORT, LONG = 9, 36  # copies of 124 MB
RUNS = 3
MOST, GROWTH = 300e6, 1.10


def peak(loopgauge, policy, grow, log, copies):
    source = subprocess.Popen([grow, "-copies", str(copies), log], stdout=subprocess.PIPE)
    r = run([loopgauge, "replay", "--quiet", *policy, "-"], stdin=source.stdout)
    source.stdout.close()
    if source.wait() != 0:
        raise SystemExit("grow failed")
    return r.rss


def main():
    loopgauge, grow, log = sys.argv[1:]
    broken = []
    print(f"peak memory in MB, median of {RUNS} (least-most)")
    for name, policy in POLICIES.items():
        peaks = {SHORT: [], LONG: []}
        for _ in range(RUNS):
            for copies, values in peaks.items():
                values.append(peak(loopgauge, policy, grow, log, copies))
        for copies, values in peaks.items():
            median, least, most = (v / 1e6 for v in spread(values))
            print(f"{name:14} {copies * 0.124:4.1f} GB  {median:6.1f} ({least:.1f}-{most:.1f})")
        short, long = (spread(values)[0] for values in peaks.values())
        print(f"{name:14} growth  {long / short:6.3f}")
        if long > MOST or long > GROWTH * short:
            broken.append(name)
    if broken:
        raise SystemExit(f"over {MOST / 1e6:.0f} MB or {GROWTH} times the short log's: {', '.join(broken)}")


if __name__ == "__main__":
    main()
