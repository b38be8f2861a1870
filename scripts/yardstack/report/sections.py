# SPDX-License-Identifier: BSL-1.0
"""The page's sections, each from a run to a piece of HTML."""

from collections.abc import Sequence

from yardstack import series, table
from yardstack.palette import is_reference, style
from yardstack.report.html import details, element, inline_svg, text
from yardstack.report.html import table as html_table
from yardstack.rows import Row, limit_name
from yardstack.runs import Run
from yardstack.units import figure, number
from yardstack.verdicts import CONDITIONAL, Verdict, told, with_interval

_KEY_COUNTERS = ("ns_per_switch", "ns_per_spawn", "ns_per_create", "ns_per_wake", "ns_per_op", "ns_per_level",
                 "ns_per_suspension", "allocs_per_op", "allocs_per_suspension", "references_per_suspension",
                 "bytes_per_op", "kept_bytes", "state_bytes", "worker_stack_bytes", "borrowed_stack_bytes",
                 "code_bytes", "compile_cpu_ns",
                 "user_bytes_per_task", "kernel_bytes_per_task",
                 "heap_bytes_per_task", "idle_cpu_share", "server_cpu_ns_per_op", "cpu_vs_floor", "ops_per_s",
                 "ops_per_wait", "syscalls_per_op", "p50_ns", "p99_ns", "max_ns",
                 "lateness_p50_ns", "lateness_p99_ns", "cpu_share")


def trade_off(run: Run) -> str:
    """The table on top."""
    columns = table.columns()
    head = ["", *(f"<th>{text(c.title)}<small>{text(c.below)}</small></th>" for c in columns)]
    body = []
    for contender, cells in table.fill(run, columns).items():
        dot = "" if is_reference(contender) else element(
            "span", "", class_="dot", style=f"background:{style(contender).colour}")
        body.append([f"<th>{dot}{text(contender)}</th>", *(
            element("td", (text(cell.text) or "–") + (
                        element("small", text(cell.why)) if cell.why else ""), title=cell.hover,
                    class_=cell.kind + (" best" if cell.best else "")) for cell in cells)])
    return element("div", html_table(head, body, class_="trade"), class_="wide")


def verdict_table(verdicts: Sequence[Verdict]) -> str:
    """Every declared claim with its figures, rules and commands."""
    def row(verdict: Verdict) -> list[str]:
        word = element("span", text(verdict.word), class_="word " + verdict.word.replace(" ", "-"))
        condition = element("p", text(verdict.condition), class_="why") \
            if verdict.word == CONDITIONAL else ""
        figures = "".join(f"<li>{text(told(decision))}</li>" for decision in verdict.decisions)
        commands = "\n".join(dict.fromkeys(d.part.command for d in verdict.decisions))
        return [text(verdict.claim.id), text(verdict.claim.text) + condition, word,
                f"<ul>{figures}</ul>" + details("rerun", element("pre", text(commands)))]

    return html_table(["", "claim", "verdict", "figure [interval; blocks, coverage] (rule: what became of it)"],
                      map(row, verdicts), class_="verdicts")


def pictures(run: Run, captions: dict[str, str]) -> str:
    """The plots, each with its caption and the commands that measured it."""
    parts = []
    for index, (name, caption) in enumerate(captions.items()):
        picture = inline_svg((run.folder / "plots" / name).read_text(), f"p{index}")
        question = "timers" if name.startswith("timers") else name.split("-")[0].removesuffix(".svg")
        commands = sorted({" ".join(["build/release/" + call["command"][0], *call["command"][2:]])
                           for call in run.context.get("calls", [])
                           if call["program"] == f"bench-{question}" and call["block"] == 1})
        parts.append(element("figure", picture + element("figcaption", text(caption)) + details(
            "measured by", element("pre", text("\n\n".join(commands))))))
    return "\n".join(parts)


def gaps(run: Run) -> str:
    """Refusals and failures, and folded away what was measured but is in doubt."""
    errors: dict[tuple[str, str], list[Row]] = {}
    doubts: dict[tuple[str, str], list[int]] = {}
    for row in run.rows:
        if row.error:  # one line a limit, though the number reached differs from block to block
            errors.setdefault((row.name, limit_name(row.error)), []).append(row)
        for reason, counters in row.doubts().items():
            doubts.setdefault((row.name, f"{reason}: {' '.join(counters)}"), []).append(row.block)
    failed: dict[tuple[str, str], list[int]] = {}
    for call in run.context.get("calls", []):
        if call.get("complaint"):
            failed.setdefault((call["entry"], call["complaint"]), []).append(call["block"])
    told = {(name, rows[0].error or ""): [row.block for row in rows]
            for (name, _), rows in errors.items()}
    told |= failed | {("raw/", complaint): [] for complaint in run.complaints}
    return (_in_blocks(told) if told else "<p>Nothing was refused, nothing failed.</p>") + (
        details(f"{len(doubts)} in doubt", _in_blocks(doubts)) if doubts else "")


def _in_blocks(found: dict[tuple[str, str], list[int]]) -> str:
    return html_table(["row", "what it says", "in blocks"], [
        [f"<code>{text(name)}</code>", text(why), ", ".join(map(str, sorted(blocks)))]
        for (name, why), blocks in sorted(found.items())])


def instrument(run: Run) -> str:
    """What the instrument says of ratios that are known: a seeded slowdown, and same against same."""
    body = []
    for name in sorted(run.by_name):
        same = name.startswith("echo/floor-epoll/")
        if not same and not name.startswith("selftest/"):
            continue
        found = series.values(run, name, "cpu_vs_floor" if same else "ratio")
        known = series.values(run, name, "known_ratio").estimate
        if found.estimate:
            body.append([f"<code>{text(name)}</code>", number(1.0 if same or not known else known.median),
                         text(with_interval(found.estimate)), text(found.doubt or "")])
    if not body:
        return "<p>Not measured in this run.</p>"
    return html_table(["row", "known ratio", "measured [interval; blocks, coverage]", "in doubt"], body)


def all_figures(run: Run) -> str:
    """Each row's main counters with their intervals, folded away."""
    body = []
    for name in sorted(run.by_name):
        first = series.primary(run.by_name[name].values())
        found = [(c, series.values(run, name, c)) for c in sorted(_KEY_COUNTERS, key=lambda c: c != first)]
        told = "; ".join(f"{c} {with_interval(v.estimate, c)}" for c, v in found if v.estimate)
        if told:
            body.append([f"<code>{text(name)}</code>", text(told)])
    return details(f"{len(body)} rows", html_table(["row", "median [interval; blocks, coverage]"], body))


def noise(run: Run) -> str:
    """Who else used the machine, call by call."""
    calls = run.context.get("calls", [])
    noisy = [c for c in calls if c.get("noisy")]
    said = (f"<p>{len(noisy)} of {len(calls)} calls were noisy: others took, or the host stole, more "
            "than a tenth of the CPUs. Figures of time leave those blocks out.</p>")
    body = [[text(c["entry"]), str(c["block"]), figure(c["seconds"] * 1e9, "_ns"),
             f"{c['others_share']:.1%}", f"{c['stolen_share']:.1%}", "noisy" if c["noisy"] else ""]
            for c in calls]
    return said + details("call by call", html_table(
        ["call", "block", "took", "CPU taken by others", "stolen", ""], body))


def context(run: Run) -> str:
    """Machine, build, versions, and the doctor's findings."""
    known = run.context
    facts: dict[str, object] = {**known.get("machine", {}), **known.get("build", {}),
                                **known.get("revision", {}), **run.said}
    facts |= {key: known.get(key) for key in
              ("tree_hash", "profile", "blocks", "seed", "started", "finished")}
    mitigations = facts.pop("mitigations", {})
    if isinstance(mitigations, dict):
        facts["mitigations"] = "; ".join(f"{k}: {v}" for k, v in mitigations.items())
    body = [[text(key), text(value)] for key, value in facts.items() if value not in (None, "")]
    doctor = [["!" if f["warning"] else "", text(f["subject"]), text(f["found"]), text(f["means"]),
               f"<code>{text(f['command'])}</code>" if f["command"] else ""]
              for f in known.get("doctor", [])]
    return (html_table(["", "here"], body) + "<h3>What the machine allows</h3>" +
            html_table(["", "subject", "found", "so", "to change it"], doctor))
