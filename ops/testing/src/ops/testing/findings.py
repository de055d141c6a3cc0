"""Assertions about findings of `./fleetlog doctor`."""

from ops.launcher.doctor.findings import Finding, Findings, Level, well, worst


def found(findings: Findings, level: Level) -> Finding:
    """Return the worst finding, of this level; every finding but a good one must suggest commands."""
    findings = list(findings) or [well("nothing is wrong")]
    assert worst(findings) == level, findings
    for finding in findings:
        assert bool(finding.commands) == (finding.level != "well"), finding
    return next(finding for finding in findings if finding.level == level)
