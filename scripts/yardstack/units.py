# SPDX-License-Identifier: BSL-1.0
"""Figures for readers: three significant digits, with the unit that the counter's name carries."""


def unit_of(counter: str) -> str:
    """`ns`, `B`, `/s` or nothing."""
    if counter.startswith("ns_") or counter.endswith("_ns") or "_ns_" in counter:
        return "ns"
    if "bytes" in counter:
        return "B"
    if counter.endswith("_per_s"):
        return "/s"
    return ""


def number(value: float) -> str:
    """Three significant digits, thousands separated, no exponent."""
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if size >= 10 else f"{value:.2f}" if size >= 0.1 else f"{value:.2g}"


def figure(value: float, counter: str = "") -> str:
    """The value in the handiest unit: `1.24 µs`, `34.2 KiB`, `412 k/s`."""
    unit = unit_of(counter)
    if unit == "ns":
        return _scaled(value, 1000, ("ns", "µs", "ms", "s"))
    if unit == "B":
        return _scaled(value, 1024, ("B", "KiB", "MiB", "GiB"))
    if unit == "/s":
        return _scaled(value, 1000, ("/s", "k/s", "M/s"))
    return number(value)


def tick(value: float, counter: str = "") -> str:
    """A figure without trailing zeros, for axes: `1 µs`, `250 ns`, `1.5`."""
    digits, space, unit = figure(value, counter).partition(" ")
    return (digits.rstrip("0").rstrip(".") if "." in digits else digits) + space + unit


def _scaled(value: float, step: int, units: tuple[str, ...]) -> str:
    for unit in units[:-1]:
        if abs(value) < step:
            return f"{number(value)} {unit}"
        value /= step
    return f"{number(value)} {units[-1]}"
