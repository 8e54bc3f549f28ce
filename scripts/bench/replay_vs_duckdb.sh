#!/usr/bin/env bash
# Measure loopgauge replay beside DuckDB on a real log grown to 1.1 GB.
#
# usage: scripts/bench/replay_vs_duckdb.sh [RUNS]     5 of each by default
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

scripts/setup.sh python
mkdir -p .cache/bench
go build -o .cache/bench/loopgauge ./cmd/loopgauge
go build -o .cache/bench/grow ./scripts/bench/grow

copies=9
log=.cache/bench/tau2-x$copies.jsonl
if [ ! -e $log ]; then
  .cache/bench/grow -copies $copies fixtures/tau2/tau2_litellm.jsonl.zst >$log.part
  mv $log.part $log
fi
exec .cache/venv/bin/python scripts/bench/replay_vs_duckdb.py .cache/bench/loopgauge $log "${1:-5}"
