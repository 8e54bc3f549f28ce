#!/usr/bin/env bash
# Measure loopgauge tune over a dataset of synthetic events beside DuckDB and
# ClickHouse (chdb), which count one kind over the same eight windows in the
# same files.
#
# usage: scripts/bench/events_vs_rivals.sh [MILLIONS [RUNS]]    10 million, 1 run
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"
scripts/setup.sh rivals
millions=${1:-10}
data=.cache/bench/events-$millions
if [ ! -e "$data" ]; then
  go build -o .cache/bench/synthetic ./scripts/bench/synthetic
  .cache/bench/synthetic -requests "${millions}000000" |
    .cache/bench/loopgauge extract --policy scripts/bench/events.yaml --format loopgauge --out "$data" -
fi
exec .cache/rivals/bin/python scripts/bench/events_vs_rivals.py .cache/bench/loopgauge "$data" "${2:-1}"
