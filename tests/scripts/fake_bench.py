# SPDX-License-Identifier: BSL-1.0
"""Stands in for a measuring program where a test is about the scripts around it.

It behaves as the contract says, and misbehaves as the file `misbehave` beside it says.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import measured


def main() -> int:
    options = dict(argument.split("=", 1) for argument in sys.argv[1:] if argument.startswith("--"))
    cells = [a.split("=", 1)[1] for a in sys.argv[1:] if a.startswith("--cell=")]
    script = Path(sys.argv[0]).parent / "misbehave"
    how = script.read_text().strip() if script.exists() else ""
    out = Path(options["--benchmark_out"])
    out.write_text('{"context": {}, "benchmarks": [')
    if how == "hang":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        child = subprocess.Popen(["sleep", "600"], start_new_session=True)
        (script.parent / "orphan").write_text(str(child.pid))
        time.sleep(600)
    if how == "wait":
        (script.parent / "started").touch()
        try:
            time.sleep(600)  # a test's guard, or its Ctrl-C, ends it
        except KeyboardInterrupt:
            rest = [measured.entry(c, error="interrupted: by a signal") for c in cells[1:]]
            out.write_text(measured.document([measured.row(cells[0], 1), *rest]))
            return 130
    if how == "usage":
        print("--cell: no such row", file=sys.stderr)
        return 2
    if how == "crash":
        out.with_name(f"{out.name}.0123.part").touch()  # as if killed while it wrote the file
        os.abort()
    rows = [measured.row(cell, int(options["--order-seed"])) for cell in cells]
    if how == "wrong":
        rows[0] = measured.entry(cells[0], error="wrong: byte 7 of message 3")
    text = measured.document(rows)
    if how == "old":
        text = text.replace('"context": {', '"context": {"tree_hash": "of earlier sources", ', 1)
    out.write_text(text.replace("1000000.0", "NaN", 1) if how == "nan" else text)
    return 1 if how == "wrong" else 0
