"""The registry of checks, and what is derived from it."""

import pytest

from ops.base.checks.__main__ import alert_rules
from ops.base.checks.readiness import check_of, reason, summary
from ops.base.checks.registry import CHECKS
from ops.launcher.doctor.commands import IN_CONTAINERS
from ops.launcher.paths import PROJECT

ALERTS = PROJECT / "ops/alerts"


def test_alert_rules_are_those_of_the_registry() -> None:
    assert (ALERTS / "fleetlog.rules.gen.yaml").read_text() == alert_rules(), (
        "run: python -m ops.base.checks > ops/alerts/fleetlog.rules.gen.yaml"
    )


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_each_check_has_a_source_a_runbook_and_a_fix(check: object) -> None:
    one = next(one for one in CHECKS if one is check)
    assert one.expression
    assert f"\n### {one.alert}\n" in (ALERTS / "README.md").read_text()
    assert one.fix
    for text in one.fix:
        assert " " in text or hasattr(IN_CONTAINERS, text)


@pytest.mark.parametrize(
    ("name", "answer", "text", "alert"),
    [
        ("log", {"ok": False, "detail": "OperationalError"}, "OperationalError", None),
        ("clock", {"ok": False, "detail": "it jumped"}, "it jumped", "ClockJumped"),
        ("notify", {"ok": True, "degraded": True, "detail": {"error": "away"}}, "away", "NotificationsFail"),
        ("relay", {"ok": True, "degraded": True, "detail": {"error": "away"}}, "away", "RelayNotLed"),
        ("drivers", {"ok": False, "detail": {"error": "X", "quarantined": 0}}, "X", "ProjectionNotLed"),
        (
            "drivers",
            {"ok": True, "degraded": True, "detail": {
                "quarantined": 2, "quarantined_streams": [{"originator_id": "driver:a"}],
            }},
            "2 quarantined (driver:a, …)",
            "Quarantined",
        ),
    ],
)  # fmt: skip
def test_failing_readiness_checks_are_explained_and_lead_to_a_check(
    name: str, answer: dict[str, object], text: str, alert: str | None
) -> None:
    assert reason(answer) == text
    assert summary({name: answer, "other": {"ok": True}}) == f"{name}: {text}"
    check = check_of(name, answer)
    assert (check.name if check else None) == alert
