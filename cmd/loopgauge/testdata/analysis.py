"""Run what docs/analysis.md says, in the folder with the datasets.

usage: analysis.py DOCUMENT

Prints what each question answers, as JSON: a list of lists of rows of text.
Then takes the dataset for two nights, and says how many verdicts there are, and
how many find their request; runs the recipes, and says what the tables they make
hold.
"""

import json
import os
import re
import sys

import duckdb

text = open(sys.argv[1], encoding="utf-8").read()
views, several, *questions = re.findall(r"```sql\n(.*?)```", text, re.S)
db = duckdb.connect()
db.execute(views)
answers = [db.execute(f"SELECT COLUMNS(*)::VARCHAR FROM ({q.strip().removesuffix(';')})").fetchall() for q in questions]
os.mkdir("nights")
for night in ["2026-11-20", "2026-11-21"]:
    os.symlink("../out", f"nights/{night}")
nights = duckdb.connect()
nights.execute(views + several)
joined = nights.execute("SELECT count(*), (SELECT count(*) FROM verdicts JOIN requests USING (seq)) FROM verdicts").fetchone()
iceberg, delta = re.findall(r"```python\n(.*?)```", text, re.S)
tables = {}
for _ in range(2):  # a second time in the place of the first
    made = {}
    exec(iceberg, made)
    exec(delta)
for name in ["events", "verdicts", "episodes"]:
    from deltalake import DeltaTable

    table = made["catalog"].load_table(f"loopgauge.{name}")
    day = "fired" if name == "episodes" else "time"
    last = table.scan(row_filter=f"{day} >= '2026-11-21T00:00:00+00:00'").to_arrow().num_rows
    in_delta = DeltaTable(f"out/{name}").to_pyarrow_table()
    tables[name] = {
        "duckdb": db.execute(f"SELECT count(*), count(*) FILTER (date = DATE '2026-11-21') FROM {name}").fetchone(),
        "iceberg": (table.scan().to_arrow().num_rows, last),
        "delta": (in_delta.num_rows, sum(str(d) == "2026-11-21" for d in in_delta.column("date").to_pylist())),
    }
json.dump({"answers": answers, "nights": joined, "tables": tables}, sys.stdout)
