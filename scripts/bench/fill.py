"""Write the lines of a log from standard input to topics of Kafka.

usage: fill.py BROKER TOPIC:PARTITIONS...

The topics are made, and each gets every line, packed by zstd, with the
conversation for its key and the end of the request for its time. Prints the
number of lines and their bytes.
"""

import re
import sys

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

# The times are those of the log, and its copies', far from now.
CONFIG = {
    "retention.ms": "-1",
    "message.timestamp.before.max.ms": str(2**63 - 1),
    "message.timestamp.after.max.ms": str(2**63 - 1),
}
KEY = re.compile(rb'"trace_id": "([^"]*)"')
END = re.compile(rb'"endTime": ([0-9.]+)')


def create(broker, topics, config=None):
    """Make topics, by name with the number of partitions."""
    new = [NewTopic(name, partitions, 1, config=config or {}) for name, partitions in topics.items()]
    admin = AdminClient({"bootstrap.servers": broker, "log_level": 3})  # which ends when nobody holds it
    for made in admin.create_topics(new).values():
        made.result()


def main():
    broker = sys.argv[1]
    topics = {name: int(n) for name, n in (x.split(":") for x in sys.argv[2:])}
    create(broker, topics, CONFIG)
    failed = []
    producer = Producer({
        "bootstrap.servers": broker, "compression.type": "zstd", "linger.ms": 50, "batch.size": 1 << 20,
        "enable.idempotence": True, "queue.buffering.max.kbytes": 1 << 17, "log_level": 3,
    })
    count = size = 0
    for line in sys.stdin.buffer:
        line = line.rstrip(b"\n")
        count += 1
        size += len(line)
        key, at = KEY.search(line, 0, 2000)[1], round(float(END.search(line, 0, 2000)[1]) * 1000)
        for topic in topics:
            while True:
                try:
                    producer.produce(topic, line, key, timestamp=at, on_delivery=lambda err, _: err and failed.append(err))
                    break
                except BufferError:
                    producer.poll(0.1)
        producer.poll(0)
    producer.flush()
    if failed:
        raise SystemExit(f"{len(failed)} records were not taken: {failed[0]}")
    print(count, size)


if __name__ == "__main__":
    main()
