# SPDX-License-Identifier: BSL-1.0
"""Small pieces of HTML; everything that comes from a run is escaped."""

import re
from collections.abc import Iterable, Sequence
from html import escape as _escape


def text(value: object) -> str:
    return _escape(str(value), quote=True)


def element(tag: str, inner: str, **attributes: str) -> str:
    """`inner` is HTML already. `class_` becomes class."""
    told = "".join(f' {key.rstrip("_")}="{text(value)}"' for key, value in attributes.items() if value)
    return f"<{tag}{told}>{inner}</{tag}>"


def table(head: Sequence[str], body: Iterable[Sequence[str]], **attributes: str) -> str:
    """Rows of cells that are HTML already: `<td>`s where they begin so, else wrapped."""
    def cell(inner: str) -> str:
        return inner if inner.startswith("<td") or inner.startswith("<th") else f"<td>{inner}</td>"

    top = "".join(title if title.startswith("<th") else f"<th>{title}</th>" for title in head)
    rows = "\n".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in body)
    return element("table", f"<thead><tr>{top}</tr></thead>\n<tbody>{rows}</tbody>", **attributes)


def details(summary: str, inner: str) -> str:
    return f"<details><summary>{text(summary)}</summary>{inner}</details>"


def inline_svg(source: str, prefix: str) -> str:
    """An SVG file without its prologue, its ids made unique in the page."""
    picture = source[source.index("<svg"):]
    picture = re.sub(r'\bid="', f'id="{prefix}-', picture)
    picture = re.sub(r'(xlink:href="#|href="#|url\(#)(?!' + re.escape(prefix) + "-)",
                     lambda match: f"{match.group(1)}{prefix}-", picture)
    return re.sub(r"<metadata>.*?</metadata>", "", picture, flags=re.DOTALL)
