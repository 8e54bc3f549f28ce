#!/usr/bin/env bash
# Measure loopgauge replay beside DuckDB on a real log grown to 1.1 GB.
#
# usage: scripts/bench/replay_vs_duckdb.sh [RUNS]     5 of each by default
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"
scripts/setup.sh python
exec .cache/venv/bin/python scripts/bench/replay_vs_duckdb.py .cache/bench/loopgauge "$(grown)" "${1:-5}"
