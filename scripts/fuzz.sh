#!/usr/bin/env bash
# Run every fuzz target of the project, one after the other.
#
# usage: scripts/fuzz.sh [DURATION]     of each target, 10s by default
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

targets=0
for package in $(go list ./...); do
  listed=$(go test -list '^Fuzz' "$package") || { printf '%s\n' "$listed" >&2; exit 1; }
  for target in $(grep '^Fuzz' <<<"$listed" || true); do
    # The first build with the fuzzer's counters is silent, and of the program
    # itself, with all that it links, ten minutes of CPU.
    echo "$target of $package"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "${1:-10s}" -fuzzminimizetime 10x "$package"
    targets=$((targets + 1))
  done
done
[ "$targets" -gt 0 ] || { echo 'no fuzz target found' >&2; exit 1; }
echo "$targets fuzz targets ran"
