"""What a page that is printed or handed over looks like: it needs nothing besides, and runs nothing."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Final

_STYLE: Final = """
:root { color-scheme: light; background: #fff }
body { font: 11pt/1.4 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c2127 }
h1 { font-size: 17pt; line-height: 1.25; overflow-wrap: anywhere }
h2 { font-size: 13pt; margin: 2rem 0 .5rem; break-after: avoid }
table { border-collapse: collapse; width: 100%; table-layout: fixed }
th, td { border: 1px solid #c5cbd3; padding: .3rem .6rem; text-align: left; vertical-align: top }
th, td { overflow-wrap: anywhere } td { white-space: pre-line } tr { break-inside: avoid }
th { background: #f6f7f9; font-weight: 600 } thead { display: table-header-group }
.named th:first-child { width: 30% }
.changes th:first-child { width: 4.6em } .changes th:nth-child(2), .views th:first-child { width: 11em }
.changes th:nth-child(3), .views th:nth-child(2) { width: 8.5em } .views tbody th { font-weight: 400 }
.changes td div { padding-left: 1em; text-indent: -1em } .named td div div { padding-left: 1em }
i, .field { color: #5f6b7c }
@media screen and (max-width: 40rem) {
  body { margin: 1rem auto } thead { display: none } table, tbody, tr, th, td { display: block }
  tr { border: 1px solid #c5cbd3; margin-bottom: .6rem } th, td { border: 0 }
  .named { border: 1px solid #c5cbd3; border-bottom: 0 }
  .named tr { border-width: 0 0 1px; margin: 0 } .named th { background: none; padding-bottom: 0 }
  .named th:first-child, .changes th:first-child, .views th:first-child { width: auto; font-weight: 600 }
  .changes th::before { content: attr(data-label) " " }
  .changes td::before, .views td::before { content: attr(data-label); display: block; color: #5f6b7c }
}
@media print {
  body { font-size: 9.5pt; max-width: none; margin: 0; padding: 0 1px } th { print-color-adjust: exact }
}
"""
_PAPER: Final = """
@page { size: A4; margin: 16mm 15mm 20mm; font: 8pt sans-serif; color: #5f6b7c }
@page { @bottom-left { content: "%s" } @bottom-right { content: counter(page) " / " counter(pages) } }
"""


def page(title: str, foot: str, sections: Mapping[str, str]) -> str:
    """Return a page.

    Args:
        title: its heading.
        foot: what each sheet of paper says of it.
        sections: HTML under headings of plain words; the first has none, for it follows the title.
    """
    on_paper = "".join(f"\\{ord(letter):x} " for letter in foot)
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en"><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title><style>{_STYLE}{_PAPER % on_paper}</style>",
            f"<h1>{escape(title)}</h1>",
            *(f"<h2>{head}</h2>\n{told}" if head else told for head, told in sections.items()),
            "</html>",
        ]
    )


def table(kind: str, heads: Sequence[str], rows: Iterable[Sequence[str]], none: str = "Nothing.") -> str:
    """Return a table, of which each row is a block of its own on a phone.

    Args:
        kind: how wide its columns are: `named`, `changes` or `views`.
        heads: plain words over the columns; none at all: what rows begin with says it.
        rows: cells that are HTML, the first of which names the row.
        none: what is said where there are no rows.
    """
    labels = heads or ("", "")
    told = [
        f'<tr><th scope="row" data-label="{labels[0]}">{first}</th>'
        + "".join(
            f'<td data-label="{label}">{cell}</td>' for label, cell in zip(labels[1:], others, strict=True)
        )
        + "</tr>"
        for first, *others in rows
    ]
    if not told:
        return f"<p>{none}</p>"
    over = "".join(f'<th scope="col">{head}</th>' for head in heads)
    head = f"<thead><tr>{over}</tr></thead>" if heads else ""
    return "\n".join([f'<table class="{kind}">{head}<tbody>', *told, "</tbody></table>"])
