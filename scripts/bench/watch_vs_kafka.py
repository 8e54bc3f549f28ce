"""loopgauge watch beside Kafka's consumer perf test and Quix Streams.

usage: watch_vs_kafka.py LOOPGAUGE BROKER KAFKA-LIBRARIES "LONG-LINES BYTES" "SHORT-LINES BYTES" [RUNS]

Watch judges the topics long-1, long-4, short-1 and short-4 by the default
rules, from the first record until all are judged: what it took begins when it
says that it reads and ends when it says that the last partition is silent. The
perf test reads and drops them; its time is the one that it reports for
fetching, and what a JVM takes to read one record is taken out of its CPU time.
Quix Streams counts keys over 60 s in the short lines. They take turns.
"""

import collections
import datetime
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from measure import run, spread

HERE = pathlib.Path(__file__).resolve().parent
LEAST_OF_PERF, LEAST_OF_QUIX = 0.8, 4


def main():
    loopgauge, broker, libraries = sys.argv[1:4]
    lines = {name: tuple(map(int, text.split())) for name, text in zip(("long", "short"), sys.argv[4:6])}
    runs = int(sys.argv[6]) if len(sys.argv) > 6 else 3
    topics = [f"{name}-{partitions}" for name in lines for partitions in (1, 4)]

    taken = collections.defaultdict(list)
    for topic in topics:
        count, _ = lines[topic.split("-")[0]]
        start_up = spread(perf(libraries, broker, topic, 1)[1] for _ in range(3))[0]
        for _ in range(runs):
            taken[topic, "watch"].append(watch(loopgauge, broker, topic, count))
            wall, cpu = perf(libraries, broker, topic, count)
            taken[topic, "perf test"].append((wall, cpu - start_up))
            if topic.startswith("short"):
                taken[topic, "Quix Streams"].append(quix(broker, topic, count))

    broken = []
    print(f"{len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}, {runs} runs each")
    print(f"{'topic':8} {'':12} {'wall s: median (least-most)':>28} {'CPU s':>7} {'a GB':>6} {'MB/s':>6} {'lines/s':>9} {'times':>6}")
    for (topic, who), values in taken.items():
        count, size = lines[topic.split("-")[0]]
        wall, least, most = spread(w for w, _ in values)
        cpu = spread(c for _, c in values)[0]
        times = wall / spread(w for w, _ in taken[topic, "watch"])[0]
        print(f"{topic:8} {who:12} {f'{wall:.2f} ({least:.2f}-{most:.2f})':>28} {cpu:7.2f} {cpu / size * 1e9:6.2f} {size / wall / 1e6:6.0f} {count / wall:9.0f} {times:6.2f}")
        if who != "watch" and times < (LEAST_OF_QUIX if who == "Quix Streams" else LEAST_OF_PERF):
            broken.append(f"{times:.2f} times {who} on {topic}")
    if broken:
        raise SystemExit("watch is too slow: " + ", ".join(broken))


def watch(loopgauge, broker, topic, count):
    """Wall and CPU seconds until all is judged."""
    with tempfile.TemporaryDirectory() as state, open(f"{state}/log", "w+") as log:
        child = subprocess.Popen([
            loopgauge, "watch", "--profile", "loopgauge", "--state", f"{state}/state", "--start", "earliest",
            "--listen", "127.0.0.1:0", "--verbose", "--idle", "0s", f"kafka://{broker}/{topic}",
        ], stderr=log)
        try:
            address = wait(lambda: re.search(r"msg=listening address=(\S+)", said(log, child)))[1]
            wait(lambda: judged(address) == count)
        except BaseException:
            child.kill()
            raise
        child.send_signal(signal.SIGTERM)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        text = said(log)
        if child.returncode != 0:
            raise SystemExit(f"watch: exit code {child.returncode}\n{text}")
        wall = max(times(text, "stream is idle")) - min(times(text, "reading"))
        return wall, usage.ru_utime + usage.ru_stime


def said(log, child=None):
    """What stands in the log, of a child that has to run."""
    ended = child and child.poll() is not None
    log.seek(0)
    text = log.read()
    if ended:
        raise SystemExit(f"watch ended:\n{text}")
    return text


def times(text, message):
    found = re.findall(rf'^time=(\S+)Z? level=\S+ msg="?{message}"? ', text, re.MULTILINE)
    return [datetime.datetime.fromisoformat(t).timestamp() for t in found]


def judged(address):
    with urllib.request.urlopen(f"http://{address}/metrics") as page:
        found = re.search(r'^loopgauge_lines_total\{fate="judged"\} (\S+)', page.read().decode(), re.MULTILINE)
    return found and float(found[1])


def wait(what, seconds=600):
    until = time.monotonic() + seconds
    while not (found := what()):
        if time.monotonic() > until:
            raise SystemExit("watch did not come to the end of the topic")
        time.sleep(0.5)
    return found


def perf(libraries, broker, topic, count):
    """Wall seconds of fetching alone, and CPU seconds of all."""
    r = run([
        "java", "-cp", f"{libraries}/*", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "org.apache.kafka.tools.ConsumerPerformance",
        "--bootstrap-server", broker, "--topic", topic, "--num-records", str(count), "--fetch-size", str(16 << 20), "--timeout", "60000",
    ])
    head, row = ([x.strip() for x in line.split(",")] for line in r.out.strip().splitlines()[-2:])
    got = dict(zip(head, row))
    if int(got["data.consumed.in.nMsg"]) < count:
        raise SystemExit(f"the perf test did not come to the end of the topic:\n{r.out}{r.err}")
    return int(got["fetch.time.ms"]) / 1000, r.cpu


def quix(broker, topic, count):
    """Wall and CPU seconds from the first record on."""
    with tempfile.TemporaryDirectory() as state:
        r = json.loads(run([sys.executable, HERE / "quix_counts.py", broker, topic, str(count), state]).out)
    if r["counted"] != count:
        raise SystemExit(f"Quix Streams counted {r['counted']} of {count} records")
    return r["wall"], r["cpu"]


if __name__ == "__main__":
    main()
