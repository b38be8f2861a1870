# SPDX-License-Identifier: BSL-1.0
"""Makes what a measuring program would write: Google Benchmark 1.7.1 JSON, from known truths."""

import json
import random
import re
from typing import Any

#: Counter values at one task, and the power of the number of tasks by which each grows.
_SWITCH = {"threads": (3400, 0.04), "fibers": (9, 0.05), "boost-fibers": (95, 0.11),
           "futures": (6.8, 0.03), "coroutines": (11, 0.04), "floor-inline": (1.3, 0),
           "floor-context": (7.2, 0), "floor-poll": (5.6, 0), "floor-syscall": (240, 0),
           "floor-futex": (2900, 0)}
_SPAWN = {"threads": (46000, 0.02), "fibers": (350, 0.3), "boost-fibers": (1100, 0.3),
          "futures": (60, 0.1), "coroutines": (90, 0.1), "floor-allocate": (21, 0)}
_MEMORY = {"threads": (120, 8300, 4096, 16384, 5300), "fibers": (96, 4096, 40, 0, 4),
           "boost-fibers": (180, 5112, 48, 0, 6), "futures": (160, 0, 2, 0, 0),
           "coroutines": (240, 0, 2, 0, 0), "floor-socket": (0, 0, 0, 0, 0)}
_SOCKET_SLAB = 3900
_ECHO = {"threads": 16000, "fibers": 9100, "boost-fibers": 9900, "futures": 8900,
         "coroutines": 9000, "floor-epoll": 8700}
_TIMERS = {"threads": 70000, "fibers": 52000, "futures": 50000, "coroutines": 51000,
           "peer-heap": 54000, "peer-thread-per-timer": 75000, "floor-pacing": 21000}
_MEMORY_KINDS = ("heap", "stack", "page_table", "kernel_stack", "slab")


def counters(name: str, chance: random.Random) -> dict[str, float]:
    """The true counters of a row, times a few per cent of noise for those that are times."""
    question, contender, *rest = name.split("/")
    keys = dict(part.split(":") for part in rest if ":" in part)
    wobble = chance.lognormvariate(0, 0.02)
    if question in ("switch", "spawn"):
        base, power = (_SWITCH if question == "switch" else _SPAWN)[contender]
        size = float(keys.get("tasks", keys.get("alive", "1")))
        found = {f"ns_per_{question}": base * size**power * wobble, "valid": 1}
        calls = {"threads": 1.14, "floor-syscall": 1, "floor-futex": 1}.get(contender, 4e-4)
        return found | ({"syscalls_per_switch": calls} if question == "switch" else {})
    if question == "memory":
        kinds = list(_MEMORY[contender])
        kinds[4] += _SOCKET_SLAB if keys["state"] == "connected" else 0
        found = {f"{kind}_bytes_per_task": value for kind, value in zip(_MEMORY_KINDS, kinds)}
        return {**found, "user_bytes_per_task": kinds[0] + kinds[1], "valid": 1,
                "kernel_bytes_per_task": sum(kinds[2:]), "intercept_bytes": 2e6,
                "virtual_bytes_per_task": 8.4e6 if contender == "threads" else sum(kinds)}
    if question == "echo":
        cpu = _ECHO[contender] * float(keys["connections"])**0.06 * wobble
        tail = (2.2 if contender == "threads" else 1) * float(keys["connections"])**0.9 * 30000
        return {"server_cpu_ns_per_op": cpu, "ops_per_s": 0.7e9 / cpu, "p50_ns": tail * 0.6 * wobble,
                "floor_p50_ns": tail * 0.6 * wobble * chance.lognormvariate(0, 0.005),
                "p99_ns": tail * wobble * 2, "valid": 1, "syscalls_per_op": 2.01, "errors": 0,
                "cpu_vs_floor": cpu / wobble / 8700 / float(keys["connections"])**0.06
                * chance.lognormvariate(0, 0.005)}
    late = _TIMERS[contender] * float(keys.get("tasks", "1"))**0.02 * wobble
    return {"lateness_p50_ns": late * 0.6, "lateness_p99_ns": late, "valid": 1,
            "lateness_max_ns": late * 30, "cpu_ns_per_timer": 300 * wobble * (9 if "thread" in contender else 1),
            "missed": 0.0, "planned": 1e5}


def entry(name: str, values: dict[str, float] | None = None, error: str = "", label: str = ""
          ) -> dict[str, Any]:
    """One element of `benchmarks`, with the suffixes that Google Benchmark appends."""
    full = f"{name}/iterations:1/manual_time"
    common: dict[str, Any] = {
        "name": full, "family_index": 0, "per_family_instance_index": 0, "run_name": full,
        "run_type": "iteration", "repetitions": 1, "repetition_index": 0, "threads": 1}
    if error:
        return {**common, "error_occurred": True, "error_message": error, "iterations": 0,
                "real_time": 0.0, "cpu_time": 0.0, "time_unit": "ns"}
    return {**common, "iterations": 1, "real_time": 1e6, "cpu_time": 1.9e3, "time_unit": "ns",
            **(values or {}), **({"label": label} if label else {})}


def row(name: str, seed: int) -> dict[str, Any]:
    """The row that a program would write for a cell, limits included."""
    number = int((re.findall(r"(?:tasks|alive):(\d+)", name) or ["0"])[0])
    if "threads/" in name and number > 32450 or "thread-per" in name and number > 32450:
        return entry(name, error="refused: pid_max reached=32450 limit=32768")
    label = "client-limited: ops_per_s p99_ns" if "connections:1000" in name and "rate" not in name \
        else ""
    return entry(name, counters(name, random.Random(f"{name} {seed}")), label=label)


def document(rows: list[dict[str, Any]]) -> str:
    """The whole file."""
    context = {"date": "2026-01-02T03:04:05+00:00", "host_name": "vm", "executable": "bench",
               "num_cpus": 2, "mhz_per_cpu": 2600, "cpu_scaling_enabled": False, "caches": [],
               "load_avg": [0.1, 0.2, 0.3], "library_build_type": "debug", "compiler": "GCC 12.2"}
    return json.dumps({"context": context, "benchmarks": rows}, indent=2)
