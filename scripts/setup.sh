#!/usr/bin/env bash
# Set up what the tests and benchmarks need, in .cache/: idempotent, and done
# in a moment when there is nothing to do.
#
# usage: scripts/setup.sh [PART...]     without a part: all of them
#   gotestsum   the test runner           .cache/bin/gotestsum
#   lint        golangci-lint             .cache/bin/golangci-lint
#   python      DuckDB and whatever else reads datasets, .cache/venv/bin/python
#   rivals      what make bench measures against, .cache/rivals/bin/python
#   race        a C compiler, for go test -race
#   chromium    the browser that the report is tested in
#   prometheus  Prometheus and promtool; where systemd runs, the Debian package
#               also starts it, on port 9090
#   alertmanager  Prometheus' Alertmanager; likewise, on port 9093
#   deploy      what checks deploy/: systemd-analyze, and hadolint in
#               .cache/deploy/bin/hadolint
#   gateways    real gateways: nginx, HAProxy and Caddy, which Debian's packages
#               also start where systemd runs, and LiteLLM with OpenAI's client
#               library, .cache/gateways/bin/python
#   stores      object stores: VersityGW (S3) in .cache/bin/versitygw,
#               .cache/bin/fake-gcs-server (Google) and .cache/azurite (Azure)
#   kafka       Apache Kafka              .cache/kafka-VERSION: see scripts/kafka.sh
#   spark       Spark 3 and 4             .cache/spark3, .cache/spark4
#
# Debian packages are installed as root; anyone else is told which are missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

gotestsum_version=v1.13.0
lint_version=v2.15.0
versitygw_version=v1.8.0
fake_gcs_version=v1.54.0
cache=$PWD/.cache
mkdir -p "$cache/bin"

say() { printf 'setup: %s\n' "$*" >&2; }
# What was begun beside the rest is not left running into the next attempt.
fail() { say "$*"; wait; exit 1; }

# need PACKAGE...: installs Debian packages.
need() {
  if [ "$(id -u)" != 0 ]; then
    fail "Debian packages are missing; as root: apt-get install $*"
  fi
  command -v apt-get >/dev/null || fail "missing, and there is no apt-get to install them: $*"
  say "installing Debian packages: $*"
  # A machine that was never updated knows no package; one update is enough.
  apt-get install -y -q --no-install-recommends "$@" >"$cache/apt.log" 2>&1 </dev/null ||
    { apt-get update -q >"$cache/apt.log" 2>&1 </dev/null &&
      apt-get install -y -q --no-install-recommends "$@" >>"$cache/apt.log" 2>&1 </dev/null; } ||
    { cat "$cache/apt.log" >&2; fail "apt-get could not install $*"; }
}

go_ready() {
  command -v go >/dev/null || fail "no go on the PATH: install Go $(awk '$1 == "go" { print $2 }' go.mod) or later"
  # Without a home directory the go command has no place for its caches.
  if [ -z "${HOME:-}" ]; then
    export GOCACHE=${GOCACHE:-$cache/go-build} GOPATH=${GOPATH:-$cache/go}
  fi
}

# tool NAME MODULE VERSION: installs a Go program into .cache/bin, once a version.
tool() {
  go_ready
  local stamp
  stamp=$cache/bin/.$1-$3-$(go env GOVERSION)
  [ -x "$cache/bin/$1" ] && [ -e "$stamp" ] && return
  say "building $1 $3"
  GOBIN=$cache/bin GOFLAGS='' go install "$2@$3"
  rm -f "$cache/bin/.$1-"*
  touch "$stamp"
}

gotestsum() { tool gotestsum gotest.tools/gotestsum $gotestsum_version; }
lint() { tool golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint $lint_version; }
stores() {
  tool versitygw github.com/versity/versitygw/cmd/versitygw $versitygw_version
  tool fake-gcs-server github.com/fsouza/fake-gcs-server $fake_gcs_version
  azurite
}

# What takes its time on the network is done beside the rest.
started=()

# azurite installs the packages that its lock names, which have their hashes there.
azurite() {
  local from=scripts/azurite to=$cache/azurite
  command -v node >/dev/null && command -v npm >/dev/null || need nodejs npm
  cmp -s $from/package-lock.json "$to/node_modules/.of" && return
  say "installing Azurite with npm"
  {
    # Node knows the certificates it came with, and not the machine's.
    local machines=/etc/ssl/certs/ca-certificates.crt
    [ ! -e $machines ] || export NODE_EXTRA_CA_CERTS=${NODE_EXTRA_CA_CERTS:-$machines}
    rm -rf "$to"
    mkdir "$to"
    cp $from/package.json $from/package-lock.json "$to/"
    npm ci --prefix "$to" --ignore-scripts --no-audit --no-fund --loglevel=error </dev/null >&2
    cp $from/package-lock.json "$to/node_modules/.of"
  } &
  started+=($!)
}

# venv NAME REQUIREMENTS: makes .cache/NAME with these Python packages. Another
# version of Python, as after an upgrade of the system, sees none that are there.
venv() {
  cmp -s "$2" "$cache/$1/requirements.txt" && "$cache/$1/bin/python" -c 'import pip' 2>/dev/null && return
  command -v python3 >/dev/null || need python3 python3-venv
  python3 -c 'import ensurepip, venv' 2>/dev/null || need python3-venv
  say "installing Python packages: $(grep -v '^#' "$2" | tr '\n' ' ')"
  {
    rm -rf "${cache:?}/$1"
    python3 -m venv "$cache/$1"
    "$cache/$1/bin/python" -m pip install --no-compile --quiet --disable-pip-version-check --no-input -r "$2"
    cp "$2" "$cache/$1/requirements.txt"
  } &
  started+=($!)
}

python() { venv venv scripts/requirements.txt; }
rivals() { venv rivals scripts/bench/rivals.txt; }

race() { echo 'int main(void) { return 0; }' | ${CC:-cc} -x c -o /dev/null - 2>/dev/null || need gcc libc6-dev; }

# type -P, for command -v would find these functions.
prometheus() { type -P prometheus promtool >/dev/null || need prometheus; }

alertmanager() { command -v prometheus-alertmanager >/dev/null || need prometheus-alertmanager; }

deploy() {
  venv deploy scripts/deploy.txt
  command -v systemd-analyze >/dev/null || need systemd
}

gateways() {
  local missing=() gateway
  for gateway in nginx haproxy caddy; do
    # Daemons are in sbin, which is not on everybody's PATH.
    PATH=$PATH:/usr/sbin command -v $gateway >/dev/null || missing+=("$gateway")
  done
  [ ${#missing[@]} = 0 ] || need "${missing[@]}"
  venv gateways scripts/gateways/requirements.txt
}

chromium() { type -P chromium >/dev/null || need chromium; }

kafka() {
  local to
  to=$cache/kafka-$(sed -n 's#.*<kafka.version>\(.*\)</kafka.version>.*#\1#p' scripts/kafka/pom.xml)
  command -v java >/dev/null || need default-jre-headless
  cmp -s scripts/kafka/pom.xml "$to/pom.xml" && return
  command -v mvn >/dev/null || need maven
  say "fetching Apache Kafka with Maven"
  {
    rm -rf "$to"
    mvn -q -B -Dmaven.repo.local="$cache/maven" -f scripts/kafka/pom.xml \
      dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$to" </dev/null >&2
    cp scripts/kafka/pom.xml "$to/"
  } &
  started+=($!)
}

spark() {
  command -v java >/dev/null || need default-jre-headless
  venv spark3 scripts/spark3.txt
  venv spark4 scripts/spark4.txt
}

# Debian's packages come one after the other, then what is beside the rest, then
# the programs that are built.
[ $# -gt 0 ] || set -- race chromium prometheus alertmanager deploy gateways python spark kafka gotestsum lint stores
for part; do
  case $part in
    gotestsum | lint | python | rivals | race | chromium | kafka | spark | prometheus | alertmanager | deploy | gateways | stores) "$part" ;;
    *) fail "no part is called $part; see the head of scripts/setup.sh" ;;
  esac
done

for pid in "${started[@]}"; do
  wait "$pid" || fail "not everything could be fetched: see above"
done
