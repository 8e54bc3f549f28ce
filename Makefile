# make unit    quick: vet and the short tests; installs nothing
# make test    everything, and first what it needs: see scripts/setup.sh
# make lint    golangci-lint, installed first
# make fuzz    every fuzz target for FUZZTIME
# make torture watch killed 100 times and its broker 20 times, alone and shared; Spark in
#              processes of its own; 20 M keys: most of an hour
# make bench   benchmarks, then loopgauge beside its rivals: see scripts/bench
# make build   ./loopgauge

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
.PHONY: build unit test setup lint fuzz torture bench clean

FUZZTIME ?= 10s
# For the environment alone: in a recipe a space in it would part the words.
CACHE := $(CURDIR)/.cache
gotestsum := .cache/bin/gotestsum --format pkgname-and-test-fails --format-hide-empty-pkg \
  --rerun-fails=1 --rerun-fails-run-root-test --rerun-fails-abort-on-data-race

# What takes longest of the packages that start no goroutine, nor do their tests:
# a race in them shows where others call them.
SERIAL := fingerprint fingerprint/volatile ingest/formats window window/policy

export GOLANGCI_LINT_CACHE ?= $(CACHE)/golangci-lint

# Without a home directory the go command has no place for its caches.
ifeq ($(HOME),)
export GOCACHE ?= $(CACHE)/go-build
export GOPATH ?= $(CACHE)/go
endif

build:
	go build -tags disable_grpc_modules -o loopgauge ./cmd/loopgauge

unit:
	go vet ./...
	go test -short ./...

# The short tests run under the race detector where there are goroutines, then every
# test runs without it; the lines at the end count the second run. Neither vets again
# what golangci-lint has, which looks for all that go vet does.
# Tests wait for what must come, on a slow machine for minutes, and most of the time:
# so several tests of a package run beside each other. A few that fail run once more,
# alone: what real services do under load is not always ours. Both runs are shown, and
# what rapid drew is drawn again. What they need is fetched while golangci-lint
# compiles and reads all.
test: export LOOPGAUGE_PYTHON := $(CACHE)/venv/bin/python
# As deploy/Dockerfile builds, which a test does: so all is compiled once.
test: export CGO_ENABLED := 0
test:
	scripts/setup.sh lint
	go mod verify
	$(MAKE) -j2 setup lint
	CGO_ENABLED=1 $(gotestsum) --packages="$$(go list ./... | grep -vxF $(SERIAL:%=-e github.com/loopgauge/loopgauge/%))" -- -vet=off -race -short -timeout=90m
	$(gotestsum) --packages=./... -- -vet=off -count=1 -parallel=6 -timeout=90m

setup:
	scripts/setup.sh

lint:
	scripts/setup.sh lint
	.cache/bin/golangci-lint run ./...

fuzz:
	scripts/fuzz.sh $(FUZZTIME)

torture: export LOOPGAUGE_PYTHON := $(CACHE)/venv/bin/python
torture:
	scripts/setup.sh python kafka spark
	go test ./cmd/loopgauge -v -count=1 -timeout=2h -run='^TestTorture' -torture.kills=100 -torture.restarts=20
	go test ./cmd/loopgauge -v -count=1 -timeout=1h -run='^TestSpark$$' -spark.master='local-cluster[2,1,2048]'
	go test ./window -v -count=1 -timeout=1h -run='^TestCardinalityAttack$$' -attack.keys=20000000 -attack.cap=4194304

bench:
	scripts/setup.sh python
	scripts/bench/all.sh

clean:
	rm -rf loopgauge .cache/bench
