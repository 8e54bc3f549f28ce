#!/usr/bin/env bash
# Measure loopgauge watch on topics of a real broker beside Kafka's own consumer
# perf test, and beside Quix Streams.
#
# usage: scripts/bench/watch_vs_kafka.sh [RUNS]     3 of each by default
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"
scripts/setup.sh rivals
broker
.cache/bench/grow -copies 9 $tau2 | .cache/rivals/bin/python scripts/bench/fill.py "$address" long-1:1 long-4:4 >.cache/bench/long
.cache/bench/grow -copies 93 -line 2000 $tau2 | .cache/rivals/bin/python scripts/bench/fill.py "$address" short-1:1 short-4:4 >.cache/bench/short
.cache/rivals/bin/python scripts/bench/watch_vs_kafka.py .cache/bench/loopgauge "$address" "$kafka_lib" \
  "$(<.cache/bench/long)" "$(<.cache/bench/short)" "${1:-3}"
