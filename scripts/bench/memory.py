"""Peak memory of loopgauge replay on a short and on a four times longer log.

usage: memory.py LOOPGAUGE GROW LOG.jsonl.zst

The grown logs come through a pipe; they need no disk. Growth is measured with a
limit to memory, far off, and the collector at work early: without, a run looks for
garbage only once there are some 100 MB of it, which the short log is over before, and
what lies there between two collections differs by a tenth. So the long log is also
read as users do.
"""

import pathlib
import subprocess
import sys

from measure import run, spread

POLICIES = {
    "eight windows": ["--policy", pathlib.Path(__file__).resolve().parent / "policy.yaml"],
    "loopgauge": ["--profile", "loopgauge"],
}
SHORT, LONG = 18, 72  # copies of 124 MB
EARLY = ["env", "GOMEMLIMIT=4GiB", "GOGC=20"]
RUNS = 3
MOST, GROWTH = 300e6, 1.10


def peak(command, grow, log, copies):
    source = subprocess.Popen([grow, "-copies", str(copies), log], stdout=subprocess.PIPE)
    r = run([*command, "-"], stdin=source.stdout)
    source.stdout.close()
    if source.wait() != 0:
        raise SystemExit("grow failed")
    return r.rss


def main():
    loopgauge, grow, log = sys.argv[1:]
    broken = []
    print(f"peak memory in MB, median of {RUNS} (least-most)")
    for name, policy in POLICIES.items():
        command = [loopgauge, "replay", "--quiet", *policy]
        ways = {"collected": ([*EARLY, *command], SHORT), "collected, long": ([*EARLY, *command], LONG), "long": (command, LONG)}
        peaks = {way: [] for way in ways}
        for _ in range(RUNS):
            for way, (words, copies) in ways.items():
                peaks[way].append(peak(words, grow, log, copies))
        for way, (_, copies) in ways.items():
            median, least, most = (v / 1e6 for v in spread(peaks[way]))
            print(f"{name:14} {copies * 0.124:4.1f} GB  {way:15}  {median:6.1f} ({least:.1f}-{most:.1f})")
        short, long, most = (spread(values)[0] for values in peaks.values())
        print(f"{name:14} growth  {long / short:22.3f}")
        if most > MOST or long > GROWTH * short:
            broken.append(name)
    if broken:
        raise SystemExit(f"over {MOST / 1e6:.0f} MB or {GROWTH} times the short log's: {', '.join(broken)}")


if __name__ == "__main__":
    main()
