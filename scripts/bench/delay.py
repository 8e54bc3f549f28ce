"""From a request that trips a rule to the alert, through Kafka and loopgauge watch.

usage: delay.py LOOPGAUGE BROKER

Writes 1,000 requests a second for a minute to four partitions. Two sessions a
second begin a loop: four equal requests, of which the last trips a rule. They
are told to many sinks, for one would be told of a digest. The time of a request
is when it was handed to the producer, and the alert says which time the one had
that tripped it. What is reported is what it took beyond the lateness, which
nothing can be judged before.
"""

import http.server
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

from confluent_kafka import Producer

from fill import create
from watch_vs_kafka import said, wait

RATE, SECONDS, LOOPS = 1000, 60, 2  # requests a second, for so long, loops begun a second
LATENESS = 10  # seconds
MOST = 2  # seconds beyond it, p99
SINKS = LOOPS * SECONDS // 4  # one is told of five loops a minute, one by one
POLICY = """version: 1
lateness: {lateness}s
rules:
  - {{name: messages, profile: loopgauge/last-messages}}
sinks:
{sinks}
routes:
{routes}
"""
SINK = '  - webhook: {{name: sink-{number}, url: "http://127.0.0.1:{port}/{number}"}}'
ROUTE = """  - {{match: 'session.endsWith("/{number}")', to: [sink-{number}]}}"""


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    arrived = {}  # session -> alert that it loops, and when it came

    def do_POST(self):
        at = time.time()
        alert = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if alert["state"] == "opened":
            self.arrived[alert["session"]] = alert, at
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def produce(producer):
    """Write the requests. Returns when the last of each loop was written, by session."""
    tripped = {}
    looping = []  # session, how often it was written
    start, n = time.time(), 0
    # Behind the last loop there is traffic until it has been judged.
    while (elapsed := time.time() - start) < SECONDS + LATENESS + 3:
        while n < elapsed * RATE:
            session, text = f"calm-{n}", f"request {n}"
            begun = n // (RATE // LOOPS)
            if n < SECONDS * RATE and n % (RATE // LOOPS) == 0:
                looping.append([f"loop-{begun}/{begun % SINKS}", 0])
            elif looping and n % 10 == 5:
                # Those that loop take turns.
                loop = looping.pop(0)
                session, text = loop[0], "the same"
                loop[1] += 1
                if loop[1] < 4:
                    looping.append(loop)
            now = time.time()
            if text == "the same" and loop[1] == 4:
                tripped[session] = now
            line = {
                "time": now, "id": f"r{n}", "session": session, "caller": "team", "model": "m", "status": 200,
                "messages": [{"role": "system", "content": "You help. " * 150}, {"role": "user", "content": text}],
            }
            producer.produce("delay", json.dumps(line).encode(), session.encode())
            n += 1
        producer.poll(0)
        time.sleep(0.002)
    producer.flush()
    return tripped, n


def main():
    loopgauge, broker = sys.argv[1:]
    create(broker, {"delay": 4})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder, open(f"{folder}/log", "w+") as log:
        policy = pathlib.Path(folder, "policy.yaml")
        sinks, routes = (
            "\n".join(form.format(number=i, port=server.server_port) for i in range(SINKS)) for form in (SINK, ROUTE)
        )
        policy.write_text(POLICY.format(lateness=LATENESS, sinks=sinks, routes=routes))
        child = subprocess.Popen([
            loopgauge, "watch", "--policy", policy, "--state", f"{folder}/state", "--start", "earliest", f"kafka://{broker}/delay",
        ], stderr=log)
        try:
            wait(lambda: "msg=reading" in said(log, child))
            tripped, n = produce(Producer({"bootstrap.servers": broker, "compression.type": "zstd", "linger.ms": 5}))
            wait(lambda: len(Receiver.arrived) >= len(tripped), 30)
        except BaseException:
            child.kill()
            print(said(log)[-4000:], file=sys.stderr)
            raise
        child.send_signal(signal.SIGTERM)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise SystemExit(f"watch: exit code {child.returncode}\n{said(log)}")

    if tripped.keys() != Receiver.arrived.keys():
        raise SystemExit(f"{len(tripped)} sessions loop, alerts came of {len(Receiver.arrived)}")
    delays = sorted(Receiver.arrived[session][1] - at - LATENESS for session, at in tripped.items())
    p50, p99 = (delays[min(len(delays) - 1, int(len(delays) * q))] for q in (0.5, 0.99))
    cpu = usage.ru_utime + usage.ru_stime
    print(f"{n} requests, {len(delays)} alerts, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}, watch took {cpu:.1f} CPU s")
    print(f"seconds from request to alert beyond the lateness of {LATENESS} s: p50 {p50:.2f}, p99 {p99:.2f}, most {delays[-1]:.2f}")
    if p99 > MOST:
        raise SystemExit(f"p99 is over {MOST} s")


if __name__ == "__main__":
    main()
