#!/usr/bin/env bash
# Measure loopgauge tune, with all its rules, beside DuckDB, Polars and
# ClickHouse (chdb) counting one rule over the same eight windows.
#
# usage: scripts/bench/tune_vs_rivals.sh [RUNS]     3 of each by default
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

scripts/setup.sh rivals
mkdir -p .cache/bench
go build -o .cache/bench/loopgauge ./cmd/loopgauge
go build -o .cache/bench/grow ./scripts/bench/grow

copies=9
log=.cache/bench/tau2-x$copies.jsonl
if [ ! -e $log ]; then
  .cache/bench/grow -copies $copies fixtures/tau2/tau2_litellm.jsonl.zst >$log.part
  mv $log.part $log
fi
exec .cache/rivals/bin/python scripts/bench/tune_vs_rivals.py .cache/bench/loopgauge $log "${1:-3}"
