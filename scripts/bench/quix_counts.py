"""A keyed count over windows of 60 s, as Quix Streams does it.

usage: quix_counts.py BROKER TOPIC RECORDS STATE

Counts the records of each key by the time that Kafka keeps with them; values
are not parsed. Prints JSON: the counted records, and the wall and CPU seconds
from the first record on.
"""

import json
import logging
import sys
import time
from datetime import timedelta

from quixstreams import Application


def main():
    broker, topic, records, state = sys.argv[1:]
    app = Application(
        broker_address=broker, consumer_group=f"quix-{time.time_ns()}", auto_offset_reset="earliest", state_dir=state,
        use_changelog_topics=False, loglevel=logging.ERROR,
        consumer_extra_config={"fetch.message.max.bytes": 16 << 20, "queued.max.messages.kbytes": 1 << 18},
    )
    began = None
    counted = 0

    def first(value):
        nonlocal began
        if began is None:
            began = time.perf_counter(), time.process_time()
        return value

    def update(_):
        nonlocal counted
        counted += 1

    frame = app.dataframe(app.topic(topic, key_deserializer="bytes", value_deserializer="bytes"))
    frame = frame.apply(first).tumbling_window(timedelta(seconds=60), grace_ms=10_000).count().current()
    frame.update(update)
    app.run(count=int(records), timeout=60)
    print(json.dumps({"counted": counted, "wall": time.perf_counter() - began[0], "cpu": time.process_time() - began[1]}))


if __name__ == "__main__":
    main()
