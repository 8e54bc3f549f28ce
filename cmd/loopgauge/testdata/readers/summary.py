"""What every reader says of a dataset, so that they can be compared.

Standard input is a list of leaves, each [table, path, kind]: a path is names,
that of a list with []. A reader gives for each how many values are not null,
and their sum: of numbers in whole millionths, of texts their characters, of
times the microseconds modulo a prime, of truths how many hold.
"""

import itertools
import json
import sys

PRIME = 1000003


def main(dir, some, days):
    """Print the summary: some(dir, table, lists, leaves) is of the leaves, each
    (name, kind), of the elements of lists in lists, which are few; name is None
    for the elements themselves. days(dir, table) are the rows by day."""
    leaves = json.load(sys.stdin)
    summary = {}
    for (table, lists), group in itertools.groupby(leaves, lambda leaf: (leaf[0], lists_of(leaf[1]))):
        group = list(group)
        answers = some(dir, table, lists, [(None if path[-1].endswith("[]") else path[-1], kind) for _, path, kind in group])
        for (_, path, _), (count, total) in zip(group, answers, strict=True):
            summary[table + "." + ".".join(path)] = [int(count), int(total or 0)]
    for table in sorted({t for t, _, _ in leaves} - {"run", "sweep"}):
        summary[table] = {str(day): int(rows) for day, rows in days(dir, table)}
    json.dump(summary, sys.stdout)


def lists_of(path):
    return tuple(name.removesuffix("[]") for name in path if name.endswith("[]"))


def sql(source, lists, leaves, unnest, number, quote='"'):
    """The query that counts leaves: unnest makes rows of a list, number has for
    each kind what a value adds."""
    element = ""
    for name in lists:
        source = f"(SELECT {unnest}({element}{quote}{name}{quote}) AS v FROM {source}) AS t"
        element = "v."
    columns = []
    for name, kind in leaves:
        value = f"{element}{quote}{name}{quote}" if name else "v"
        columns += [f"count({value})", f"sum({number[kind].format(value)})"]
    return f"SELECT {', '.join(columns)} FROM {source}"


def pairs(row):
    return list(zip(row[::2], row[1::2], strict=True))


def walked(rows, lists, leaves):
    """Count leaves in rows of Python."""
    for name in lists:
        rows = [element for row in rows for element in row[name]]
    for name, kind in leaves:
        values = [v for v in ((row[name] if name else row) for row in rows) if v is not None and v == v]
        yield len(values), sum(number(kind, v) for v in values)


def number(kind, value):
    """What a value of Python adds."""
    if kind == "text":
        return len(value)
    if kind == "double":
        return int(value * 1e6 // 1)
    if kind == "time":
        return value % PRIME
    return int(value)
