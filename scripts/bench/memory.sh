#!/usr/bin/env bash
# Measure the peak memory of loopgauge replay on a 2.2 GB and an 8.9 GB log.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"
exec python3 scripts/bench/memory.py .cache/bench/loopgauge .cache/bench/grow "$tau2"
