"""Assertions about findings of `./fleetlog doctor`."""

from ops.launcher.doctor.findings import Finding, Findings, Level, well, worst


def found(findings: Findings, level: Level) -> Finding:
    """Return the worst finding, which must have a level; those that are not well must have commands."""
    findings = list(findings) or [well("nothing is wrong")]
    assert worst(findings) == level, findings  # noqa: S101 - a check, like the tests that use it
    for finding in findings:
        assert bool(finding.commands) == (finding.level != "well"), finding  # noqa: S101 - likewise
    return next(finding for finding in findings if finding.level == level)
