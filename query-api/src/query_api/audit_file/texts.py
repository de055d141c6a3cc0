"""The texts of an audit file for people: the README, and a statement to read and print."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from ops.base.records.control_characters import without_controls
from query_api.audit_file.job import Job

if TYPE_CHECKING:
    from jinja2 import Environment

    from query_api.audit_file.making import Totals

MOST_LISTED: Final = 10_000
"""Changes in a statement."""
_LONGEST: Final = 300
"""Characters of a text."""


async def readme(job: Job) -> str:
    """Return the README, for a reader who does not know the product."""
    return await _templates().get_template("readme.txt").render_async(_facts(job))


async def statement(
    job: Job, totals: "Totals", changes: AsyncIterator[Sequence[Mapping[str, Any]]]
) -> AsyncIterator[str]:
    """Yield the statement as an HTML page.

    Args:
        changes: the rows of each listed change in the CSV.
    """
    title = f"Statement of changes: {_scope(job)}"
    foot = "".join(f"\\{ord(letter):x} " for letter in f"{title}, {_instant(job.moment)}")
    more = {"title": title, "foot": foot, "totals": totals, "most": MOST_LISTED, "changes": changes}
    async for text in _templates().get_template("statement.html").generate_async(_facts(job) | more):
        yield text


def _facts(job: Job) -> dict[str, Any]:
    since, until = job.wanted.since, job.wanted.until
    begin = "the first event of the log" if since is None else _instant(since)
    end = "the time of the request" if until is None else f"before {_instant(until)}"
    return {"job": job, "plan": job.plan, "scope": _scope(job), "period": f"from {begin} to {end}"}


def _scope(job: Job) -> str:
    if job.wanted.entity is None:
        return "all records"
    return f"{job.wanted.entity} {job.wanted.id}" if job.wanted.id else f"all {job.wanted.entity} records"


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape  # noqa: PLC0415 - as above

    templates = Environment(
        loader=PackageLoader("query_api", "audit_file"),
        autoescape=select_autoescape(["html"]),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        enable_async=True,
    )
    templates.filters |= {"text": _text, "value": _value, "instant": _instant}
    return templates


def _instant(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _value(cell: str) -> str:
    """Return a value of the CSV, which is JSON or a mark, for readers."""
    try:
        value = json.loads(cell)
    except ValueError:
        return _text(cell)
    if value is None or value in ("", [], {}):
        return "\N{EN DASH}"
    return _text(value if isinstance(value, str) else cell)


def _text(text: Any) -> str:
    words = without_controls(str(text))
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]} \N{HORIZONTAL ELLIPSIS}"
