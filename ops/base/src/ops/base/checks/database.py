"""SQL of the checks, and the failures that its rows report."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final, NamedTuple

from ops.base.checks.registry import CHECKS, Check, Message
from ops.base.records.operations import PROJECTIONS

_BY_NAME: Final = {check.name: check for check in CHECKS}
_COMMON: Final = f"""
WITH processes AS MATERIALIZED (
  SELECT name, instance, seen_at, state, health <> 'ended' AS is_expected,
    health <> 'ended' AND seen_at > now() - interval '30 seconds' AS is_live
  FROM operations.services
), process_checks AS MATERIALIZED (
  SELECT name, instance, seen_at, is_expected, is_live, key AS "check", value -> 'detail' AS detail,
    (value ->> 'ok')::boolean AS ok, value ->> 'degraded' = 'true' AS degraded,
    coalesce(value #>> '{{detail,role}}' = 'leading', false) AS leads,
    CASE json_typeof(value -> 'detail')
      WHEN 'string' THEN value ->> 'detail' WHEN 'object' THEN value #>> '{{detail,error}}'
    END AS error
  FROM processes, json_each(state -> 'checks')
), disk AS (
  SELECT instance, (state #>> '{{disk,free}}')::float AS free, (state #>> '{{disk,total}}')::float AS total
  FROM processes WHERE is_live AND (state #>> '{{disk,total}}')::float > 0
  ORDER BY (state #>> '{{disk,free}}')::float / (state #>> '{{disk,total}}')::float LIMIT 1
), projections (projection) AS (SELECT unnest('{{{",".join(PROJECTIONS)}}}'::text[]))
"""  # noqa: S608 - put together from our own constants
_READINESS: Final = """
SELECT NULL::timestamptz AS since, 'fleetlog-' || name AS job, instance, error AS detail
FROM process_checks WHERE "check" = '{}' AND is_live AND (NOT ok OR degraded)
"""


class FailingCheck(NamedTuple):
    """A check that fails."""

    check: Check
    since: datetime | None
    summary: str


def _statement(checks: Iterable[Check]) -> bytes:
    selects = (
        f"SELECT '{check.name}' AS name, since, to_jsonb(found) - 'since' AS fields FROM ("  # noqa: S608 - as above
        f"{check.query or _READINESS.format(*check.readiness)}) AS found"
        for check in checks
        if check.query or check.readiness
    )
    return (_COMMON + "\nUNION ALL ".join(selects)).encode()


EVERY_CHECK: Final = _statement(CHECKS)
"""Answers with a row for each failure; read them with `failures`."""


def failures(rows: Iterable[tuple[str, datetime | None, dict[str, Any]]]) -> list[FailingCheck]:
    """Return the failures that the rows of `EVERY_CHECK` report; those that page first."""
    found = [_failure(_BY_NAME[name], since, fields) for name, since, fields in rows]
    return sorted(found, key=lambda failure: failure.check.severity != "page")


def _failure(check: Check, since: datetime | None, fields: dict[str, Any]) -> FailingCheck:
    detail = f": {fields['detail']}" if fields.get("detail") else ""
    return FailingCheck(check, since, Message().format(check.message, **fields) + detail)
