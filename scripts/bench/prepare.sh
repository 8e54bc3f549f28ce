# Sourced by the benchmarks: goes to the project's folder and builds what they
# run. grown makes the tau2 log of 1.1 GB, once, and names it: lines are of 23 KB,
# those of "grown short" of 8, with the last messages only. broker starts Kafka
# until the script ends, and sets address and kafka_lib.
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mkdir -p .cache/bench
go build -tags disable_grpc_modules -o .cache/bench/loopgauge ./cmd/loopgauge
go build -o .cache/bench/grow ./scripts/bench/grow
tau2=fixtures/tau2/tau2_litellm.jsonl.zst

grown() {
  local copies=9 line=0
  [ "${1:-}" != short ] || copies=24 line=11500
  local log=.cache/bench/tau2-x$copies.jsonl
  if [ ! -e $log ]; then
    # set -e does not reach into $(grown).
    .cache/bench/grow -copies $copies -line $line $tau2 >$log.part || return
    mv $log.part $log
  fi
  echo $log
}

broker() {
  trap 'scripts/kafka.sh kill9 .cache/bench/kafka; rm -rf .cache/bench/kafka' EXIT
  address=$(OWNER=$$ scripts/kafka.sh start .cache/bench/kafka | head -n 1)
  kafka_lib=.cache/kafka-$(sed -n 's#.*<kafka.version>\(.*\)</kafka.version>.*#\1#p' scripts/kafka/pom.xml)
}
