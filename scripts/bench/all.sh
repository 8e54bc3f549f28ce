#!/usr/bin/env bash
# Run every benchmark, also after one that missed what it is held to; at the
# end say which did, and why, and fail if there are any.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
why=$(mktemp)
trap 'rm -f "$why"' EXIT
missed=()
run() {
  { "$@" 2>&1 >&3 | tee "$why" >&2; } 3>&1 && return
  missed+=("$*: $(tail -n 1 "$why")")
}
run go test -run '^$' -bench . -benchmem ./...
for name in replay_vs_duckdb tune_vs_rivals events_vs_rivals memory watch_vs_kafka delay; do
  run scripts/bench/$name.sh
done
[ ${#missed[@]} -gt 0 ] || exit 0
printf '\nmissed:\n' >&2
printf '  %s\n' "${missed[@]}" >&2
exit 1
