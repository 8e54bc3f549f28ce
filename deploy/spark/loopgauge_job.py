"""Run loopgauge over logs that one machine cannot hold: docs/spark.md.

    spark-submit --files loopgauge,policy.yaml loopgauge_job.py extract --events DIR LOG...
    spark-submit --files loopgauge,policy.yaml loopgauge_job.py count --events DIR --counts DIR
    loopgauge merge COUNTS

The driver plans; executors run the program that --files ships, and need no
Python. All paths are as executors see them: a file system that all machines
share.
"""

import argparse
import glob
import os
import re
import shlex

from pyspark.sql import SparkSession

# What loopgauge reads stands between tabs: digits and hex, so that nothing a
# log says can break a row, and never NULL.
ROWS = """
SELECT
  hex(e.rule) AS rule, s.key AS scope, e.fingerprint,
  unix_micros(e.time) AS time, e.log, e.seq, e.ordinal,
  coalesce(cast(c.override AS string), '') AS override,
  coalesce(cast(e.status AS string), '') AS status,
  coalesce(cast(e.tokens_in AS string), '') AS tokens_in,
  coalesce(cast(e.tokens_out AS string), '') AS tokens_out,
  coalesce(cast(e.cost AS string), '') AS cost,
  hex(coalesce(e.session, '')) AS session, hex(coalesce(e.caller, '')) AS caller, hex(coalesce(e.user, '')) AS user,
  hex(coalesce(e.model, '')) AS model, hex(coalesce(e.backend, '')) AS backend,
  hex(coalesce(e.method, '')) AS method, hex(coalesce(e.path, '')) AS path, hex(coalesce(e.tool, '')) AS tool,
  concat_ws(',', transform(e.scope, v -> concat(hex(v.field), ':', hex(v.value)))) AS scope_values
FROM (
  SELECT
    e.*, r.rule,
    try_element_at(filter(e.scopes, v -> v.index = r.scope_index), 1) AS s,
    try_element_at(filter(e.rules, v -> v.rule = r.rule), 1) AS c
  FROM events e JOIN rules r ON e.identity_index = r.identity_index
  WHERE e.fingerprint IS NOT NULL
) e
WHERE s.key IS NOT NULL AND c.rule IS NOT NULL
"""

COLUMNS = """rule, scope, fingerprint, time, log, seq, ordinal, override, status, tokens_in, tokens_out, cost,
  session, caller, user, model, backend, method, path, tool, scope_values"""

# By fingerprint what is counted for each fingerprint of a scope apart, which
# spreads a busy scope; by scope what needs the order of all that it does. ORDER
# is total: requests of one microsecond keep theirs.
ORDER = "time, log, seq, ordinal"
KEYS = {"fingerprint": "scope, fingerprint", "scope": "scope"}

COUNT = """
SELECT TRANSFORM ({columns})
  ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t'
  USING '{command}'
  AS (line STRING)
  ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t'
FROM (SELECT * FROM ({rows}) DISTRIBUTE BY {key} SORT BY rule, {key}, {order})
"""

EXTRACT = """
SELECT TRANSFORM (part, path)
  ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t'
  USING '{command}'
  AS (line STRING)
  ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t'
FROM logs
"""


def literal(text):
    """Text inside quotes of Spark SQL."""
    return text.replace("\\", "\\\\").replace("'", "\\'")


def exactly(path):
    """A path as a pattern of Hadoop that only it matches."""
    return re.sub(r"([\\\[\]{}*?])", r"\\\1", path)


# While it is there extract is at work on the events, or was stopped.
UNDER_WAY = "_under_way"


def datasets(events):
    """Those that extract has numbered, one per log."""
    return sorted(os.path.dirname(run) for run in glob.glob(f"{glob.escape(os.path.abspath(events))}/{'[0-9]' * 8}/run"))


def session(args):
    """Spark, for which what is named has been looked at first. ${NAME} in a statement is what a file is called."""
    return SparkSession.builder.appName(f"loopgauge {args.command}").config("spark.sql.variable.substitute", "false").getOrCreate()


def each(program):
    """What runs a program for each log. An empty one has nothing to extract; of
    one that the executor does not see the program says so."""
    return f'while IFS="$(printf "\\t")" read -r part path; do [ -e "$path" ] && [ ! -s "$path" ] || {program}"$part" "$path" || exit 1; done'


def extract(args):
    """One task per log, which reads it itself and writes its events."""
    logs = [os.path.abspath(log) for log in args.logs]
    if any("\t" in log or "\n" in log for log in logs):
        raise SystemExit("a tab or the end of a line in a log's name: rename it")
    missing = [log for log in logs if not os.path.exists(log)]
    if missing:
        raise SystemExit(f"{missing[0]}: no such log")
    others = [d for d in datasets(args.events) if int(os.path.basename(d)) >= len(logs)]
    if others:
        raise SystemExit(f"{others[0]}: is of a log that is not named: name another directory, or remove it")
    os.makedirs(args.events, exist_ok=True)
    open(f"{args.events}/{UNDER_WAY}", "w").close()
    program = f"{args.program} extract --quiet {policy(args)} {args.flags} --out {shlex.quote(os.path.abspath(args.events))}/"
    rows = ", ".join(f"('{i:08d}', '{literal(log)}')" for i, log in enumerate(logs))
    spark = session(args)
    # A round robin from one partition gives every other one log.
    spark.sql(f"SELECT * FROM VALUES {rows} AS logs(part, path)").coalesce(1).repartition(len(logs)).createOrReplaceTempView("logs")
    spark.sql(EXTRACT.format(command=literal(each(program)))).collect()
    spark.stop()
    os.remove(f"{args.events}/{UNDER_WAY}")


def count(args):
    """Two statements, each with one task per partition of its keys."""
    root = os.path.abspath(args.events)
    # Of the logs that extract has numbered, or of a single dataset.
    roots = datasets(root) or [root] * os.path.isdir(f"{root}/run")
    if os.path.exists(f"{root}/{UNDER_WAY}"):
        raise SystemExit(f"{root}: not all logs are there: extract is under way, or was stopped: run it again")
    if not roots:
        raise SystemExit(f"{root}: no events here: name the directory that extract wrote, or a dataset of loopgauge replay --out")
    if os.path.exists(args.counts):
        raise SystemExit(f"{args.counts}: is there already: name a new directory")
    if "${" in os.path.abspath(args.counts):
        raise SystemExit(f"{args.counts}: Hadoop would write it elsewhere, for ${{ begins a variable of its own: name another directory")
    roots = [r for r in roots if glob.glob(f"{glob.escape(r)}/events/date=*")]  # of a log without a request that counts there are none
    if not roots:
        raise SystemExit(f"{root}: no request to count")
    spark = session(args)
    read = spark.read.option("recursiveFileLookup", "true").option("pathGlobFilter", "*.parquet")
    events = read.parquet(*(exactly(f"{r}/events") for r in roots)).selectExpr(
        "*", r"coalesce(cast(nullif(regexp_extract(_metadata.file_path, '/([0-9]{8})/events/date=', 1), '') AS int), 0) AS log"
    )
    events.createOrReplaceTempView("events")
    runs = read.parquet(*(exactly(f"{r}/run") for r in roots))
    if runs.select("policy_hash").distinct().count() > 1:
        raise SystemExit(f"{root}: events by more than one policy: extract all logs by the same")
    rules = runs.selectExpr("explode(rules) AS r").selectExpr("r.rule", "r.identity_index", "r.scope_index")
    rules.distinct().createOrReplaceTempView("rules")
    for by, key in KEYS.items():
        command = f"{args.program} count --by {by} {policy(args)} {args.flags}"
        statement = COUNT.format(columns=COLUMNS, command=literal(command), rows=ROWS, key=key, order=ORDER)
        spark.sql(statement).write.text(f"{args.counts}/by={by}")
    spark.stop()


def policy(args):
    return f"--policy {shlex.quote(args.policy)}" if args.policy else ""


def main():
    parser = argparse.ArgumentParser(description="loopgauge on Spark")
    parser.add_argument("--program", default="./loopgauge", help="the program, as --files ships it")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, run in {"extract": extract, "count": count}.items():
        c = commands.add_parser(name, help=run.__doc__)
        c.set_defaults(run=run)
        c.add_argument("--policy", help="the policy, as --files ships it; the same for both commands")
        c.add_argument("--flags", default="", help=f"more flags of loopgauge {name}")
        c.add_argument("--events", required=True, help="directory of the events, on all machines")
    commands.choices["extract"].add_argument("logs", nargs="+", metavar="LOG")
    commands.choices["count"].add_argument("--counts", required=True, help="directory to write, for loopgauge merge")
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
