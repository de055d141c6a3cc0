"""What a look of `./fleetlog doctor` has found."""

from ops.launcher.doctor.findings import Finding, Findings, Level, worst


def found(findings: Findings, level: Level) -> Finding:
    """Return the finding of a look that is worst, and see that what is not well says what to type.

    Args:
        findings: of the look.
        level: that of the whole is to be.
    """
    findings = list(findings)
    assert worst(findings) == level, findings  # noqa: S101 - a check, like the tests that use it
    for finding in findings:
        assert bool(finding.commands) == (finding.level != "well"), finding  # noqa: S101 - likewise
    return next(finding for finding in findings if finding.level == level)
