#!/usr/bin/env bash
# Measure the peak memory of loopgauge replay on a 1.1 GB and a 4.5 GB log.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

mkdir -p .cache/bench
go build -o .cache/bench/loopgauge ./cmd/loopgauge
go build -o .cache/bench/grow ./scripts/bench/grow
exec python3 scripts/bench/memory.py .cache/bench/loopgauge .cache/bench/grow fixtures/tau2/tau2_litellm.jsonl.zst
