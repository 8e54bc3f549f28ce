#!/usr/bin/env bash
# Measure loopgauge tune, with all its rules, beside DuckDB, Polars and
# ClickHouse (chdb) counting one rule over the same eight windows.
#
# usage: scripts/bench/tune_vs_rivals.sh [RUNS]     3 of each by default
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"
scripts/setup.sh rivals
exec .cache/rivals/bin/python scripts/bench/tune_vs_rivals.py .cache/bench/loopgauge "$(grown)" "${1:-3}"
