"""Run a command and say what it took."""

import dataclasses
import os
import subprocess
import tempfile
import time


@dataclasses.dataclass
class Run:
    wall: float  # seconds
    cpu: float  # seconds, user and system, of the command and its threads
    rss: int  # bytes at the peak
    out: str
    err: str


def run(command, stdin=subprocess.DEVNULL):
    """Run command, which has to succeed. Its output goes through files, so
    that reading it costs the command nothing."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdin=stdin, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if child.returncode != 0:
            raise SystemExit(f"{command}: exit code {child.returncode}\n{err.read()}")
        cpu = usage.ru_utime + usage.ru_stime
        return Run(wall, cpu, usage.ru_maxrss * 1024, out.read(), err.read())


def spread(values):
    """The median of values, with the least and the greatest."""
    values = sorted(values)
    return values[len(values) // 2], values[0], values[-1]
