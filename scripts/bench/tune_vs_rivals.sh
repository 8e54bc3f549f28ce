#!/usr/bin/env bash
# Measure loopgauge tune, with all its rules, beside DuckDB, Polars and
# ClickHouse (chdb) counting one rule over the same eight windows: on lines of
# 23 KB, then of 8.
#
# usage: scripts/bench/tune_vs_rivals.sh [RUNS]     3 of each by default
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"
scripts/setup.sh rivals
for length in long short; do
  .cache/rivals/bin/python scripts/bench/tune_vs_rivals.py .cache/bench/loopgauge "$(grown $length)" "${1:-3}"
done
