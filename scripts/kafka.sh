#!/usr/bin/env bash
# Run Apache Kafka for the tests: one node, broker and controller, on free
# ports of 127.0.0.1. scripts/setup.sh kafka fetches it.
#
# usage: scripts/kafka.sh start [DIR [NAME:PROTOCOL...]]
#        scripts/kafka.sh stop|kill9|restart|status [DIR]
#   start    prints the address, and a line "NAME ADDRESS" for each listener
#            beyond the plain one (PROTOCOL: SSL, SASL_SSL, SASL_PLAINTEXT).
#            DIR/more.properties is added to what the script writes
#   stop     ends it in good order; kill9 at once; DIR keeps the data
#   restart  starts it again from what start wrote, on the same ports
#
# DIR is .cache/kafka unless given; only the broker started there is touched.
# With OWNER=PID in the environment the broker ends when that process has.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
lib=$root/.cache/kafka-$(sed -n 's#.*<kafka.version>\(.*\)</kafka.version>.*#\1#p' "$root/scripts/kafka/pom.xml")

say() { printf 'kafka: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

command=${1:-}
dir=${2:-$root/.cache/kafka}
[ $# -lt 3 ] || [ "$command" = start ] || fail "see the head of scripts/kafka.sh"
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
listeners=("${@:3}")

# pid prints the broker's process id; nothing if it does not run. A number that
# another process has by now is not taken for it.
pid() {
  local id
  id=$(cat "$dir/pid" 2>/dev/null) && [ -r "/proc/$id/cmdline" ] || return 1
  ! tr '\0' '\n' <"/proc/$id/cmdline" 2>/dev/null | grep -qxF "$dir/server.properties" || echo "$id"
}

# free_ports COUNT prints different ports that nobody listens on. Ports below 32768
# are not given to connections that go out, so they stay free while the broker is down.
free_ports() {
  local port found=' '
  while [ "$(wc -w <<<"$found")" -lt "$1" ]; do
    port=$((10000 + (RANDOM * 32768 + RANDOM) % 22000))
    [[ $found != *" $port "* ]] || continue
    # The shell closes the connection, if there is one, as it ends.
    (: </dev/tcp/127.0.0.1/$port) 2>/dev/null || found+="$port "
  done
  echo "$found"
}

java_args=(-cp "$lib/*" "-Djava.io.tmpdir=$dir" -Dorg.slf4j.simpleLogger.showDateTime=true -Dorg.slf4j.simpleLogger.logFile=System.out)

write_properties() {
  local port controller ports name names='' map='' spec
  read -r port controller ports < <(free_ports $((2 + ${#listeners[@]})))
  echo "127.0.0.1:$port" >"$dir/address"
  for spec in ${listeners[@]+"${listeners[@]}"}; do
    name=${spec%%:*}
    echo "$name 127.0.0.1:${ports%% *}" >>"$dir/address"
    ports=${ports#* }
    map+=",$name:${spec#*:}"
  done
  names="PLAINTEXT://127.0.0.1:$port$(sed -n '2,$ s#\(.*\) \(.*\)#,\1://\2#p' "$dir/address" | tr -d '\n')"
  cat >"$dir/server.properties" <<EOF
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$controller
controller.listener.names=CONTROLLER
listeners=$names,CONTROLLER://127.0.0.1:$controller
advertised.listeners=$names
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT$map
inter.broker.listener.name=PLAINTEXT
log.dirs=$dir/data
auto.create.topics.enable=false

# There is one node.
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1

# Tests do not wait: groups form at once, and a broker that was killed is back
# in seconds.
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
broker.heartbeat.interval.ms=300
broker.session.timeout.ms=1500

# Retention and compaction are seen within a second.
log.retention.check.interval.ms=500
log.initial.task.delay.ms=500
log.cleaner.backoff.ms=200
EOF
  [ ! -e "$dir/more.properties" ] || cat "$dir/more.properties" >>"$dir/server.properties"
}

# launch starts what is written in DIR and waits until its log says so; that
# answers come for every partition is for the caller to see.
launch() {
  local id i
  # shellcheck disable=SC2086 # KAFKA_JAVA_OPTS are words
  (cd "$dir" && exec setsid java "${java_args[@]}" -Xmx512m ${KAFKA_JAVA_OPTS:-} \
    kafka.Kafka "$dir/server.properties" </dev/null >"$dir/log" 2>&1) &
  id=$!
  echo $id >"$dir/pid"
  # Ctrl-C does not reach a session of its own.
  trap "kill -9 $id; wait $id; exit 1" INT TERM
  if [ -n "${OWNER:-}" ]; then
    (while kill -0 "$id" 2>/dev/null; do
      kill -0 "$OWNER" 2>/dev/null || kill -9 "$id"
      sleep 1
    done) </dev/null >/dev/null 2>&1 &
  fi
  for ((i = 0; i < 9000; i++)); do
    ! grep -q 'Kafka Server started' "$dir/log" || { trap - INT TERM; return; }
    kill -0 $id 2>/dev/null || return 1
    sleep 0.1
  done
  kill -9 $id
  return 1
}

start() {
  [ -z "$(pid || :)" ] || fail "runs already in $dir"
  # Tests of several packages may start one each, at once.
  mkdir -p "$root/.cache"
  (flock 9 && exec "$root/scripts/setup.sh" kafka 9>&-) 9>"$root/.cache/kafka.lock"
  # Another broker may take a port in the moment before this one does.
  for _ in 1 2 3; do
    rm -rf "$dir/data" "$dir/pid"
    write_properties
    java "${java_args[@]}" kafka.tools.StorageTool format -t "loopgauge-test-cluster" -c "$dir/server.properties" >"$dir/log" 2>&1 || break
    launch && { cat "$dir/address"; return; }
    grep -q 'Address already in use' "$dir/log" || break
  done
  tail -n 20 "$dir/log" >&2
  fail "did not start; see $dir/log"
}

# end SIGNAL: ends the broker and waits until it has ended.
end() {
  local id i
  id=$(pid) && [ -n "$id" ] || return 0
  kill "$1" "$id" 2>/dev/null || return 0
  for ((i = 0; i < 9000; i++)); do
    kill -0 "$id" 2>/dev/null || return 0
    sleep 0.05
  done
  kill -9 "$id"
}

case $command in
  start) start ;;
  stop) end -TERM ;;
  kill9) end -KILL ;;
  restart)
    [ -e "$dir/address" ] || fail "was never started in $dir"
    end -TERM
    launch || { tail -n 20 "$dir/log" >&2; fail "did not start again; see $dir/log"; }
    cat "$dir/address"
    ;;
  status)
    if id=$(pid) && [ -n "$id" ]; then echo "running, pid $id, $(head -n 1 "$dir/address")"; else echo "not running"; exit 1; fi
    ;;
  *) fail "see the head of scripts/kafka.sh" ;;
esac
