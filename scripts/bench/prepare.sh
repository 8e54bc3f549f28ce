# Sourced by the benchmarks: goes to the project's folder and builds what they
# run. grown makes the tau2 log of 1.1 GB, once, and names it.
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mkdir -p .cache/bench
go build -o .cache/bench/loopgauge ./cmd/loopgauge
go build -o .cache/bench/grow ./scripts/bench/grow

grown() {
  local copies=9
  local log=.cache/bench/tau2-x$copies.jsonl
  if [ ! -e $log ]; then
    .cache/bench/grow -copies $copies fixtures/tau2/tau2_litellm.jsonl.zst >$log.part
    mv $log.part $log
  fi
  echo $log
}
