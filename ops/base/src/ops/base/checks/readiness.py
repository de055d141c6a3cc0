"""Failing readiness checks as text, and the registry's checks that they belong to."""

from collections.abc import Mapping
from typing import Any, Final

from ops.base.checks.registry import CHECKS, Check

_NAMED_STREAMS: Final = 3


def failing(checks: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return the checks of a `/readyz` answer that fail or are degraded, by name."""
    return {name: check for name, check in checks.items() if check.get("degraded") or not check.get("ok")}


def summary(checks: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the failing checks in one line; empty if there are none."""
    return "; ".join(f"{name}: {reason(check)}" for name, check in failing(checks).items())


def reason(check: Mapping[str, Any]) -> str:
    """Return why a readiness check fails: its error, or the streams that a projection has quarantined."""
    detail = check.get("detail")
    if not isinstance(detail, dict):
        return str(detail or "not ok")
    if detail.get("error"):
        return str(detail["error"])
    if not detail.get("quarantined"):
        return "see /readyz"
    streams = [stream["originator_id"] for stream in detail.get("quarantined_streams", ())[:_NAMED_STREAMS]]
    more = ["…"] if detail["quarantined"] > len(streams) else []
    return f"{detail['quarantined']} quarantined ({', '.join(streams + more)})"


def check_of(name: str, check: Mapping[str, Any]) -> Check | None:
    """Return the registry's check that a readiness check belongs to; None if it has none."""
    detail = check.get("detail")
    is_quarantine = isinstance(detail, dict) and bool(detail.get("quarantined"))
    return next((one for one in CHECKS if ("quarantined" if is_quarantine else name) in one.readiness), None)
