#!/usr/bin/env bash
# Measure how long after a request that trips a rule was written to Kafka the
# alert arrives, at 1,000 requests a second for a minute.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"
scripts/setup.sh rivals
broker
.cache/rivals/bin/python scripts/bench/delay.py .cache/bench/loopgauge "$address"
