"""Concurrent execution of the doctor's checks, in bounded time, and output of their findings."""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from threading import Thread
from typing import Final

from ops.base.records.operations import moment_text
from ops.launcher.doctor.findings import LEVELS, Diagnostic, Finding, warning, well, worst
from ops.launcher.errors import LauncherError

CHECK_SECONDS: Final = 5.0
"""Limit for each check, and so for all."""
_TITLES: Final = {"wrong": "WRONG", "warning": "TO WATCH", "well": "WELL"}
_WIDTH: Final = 18


def add_doctor_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of both topologies."""
    summary = parser.description or ""
    parser.description = (
        f"{summary}\nNothing is changed. The exit status is 1 if there is a fault, otherwise 0."
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--seconds",
        type=float,
        default=CHECK_SECONDS,
        metavar="NUMBER",
        help=f"time limit of each check; all run concurrently (default: {CHECK_SECONDS:g})",
    )


def run_doctor(arguments: argparse.Namespace, checks: Mapping[str, Diagnostic]) -> int:
    """Run checks by name, print their findings, and return the exit status."""
    findings = examine(checks, arguments.seconds)
    print(as_json(findings) if arguments.json else as_text(findings))
    return 1 if worst(findings) == "wrong" else 0


def examine(checks: Mapping[str, Diagnostic], seconds: float = CHECK_SECONDS) -> list[Finding]:
    """Return the findings of all checks, in the order of the checks.

    Args:
        checks: by name.
        seconds: limit for each; a check that takes longer is reported and abandoned.
    """
    late = "has not finished within {:g} s: {} hangs, or the machine is overloaded"
    found = {name: [warning(late.format(seconds, name), "uptime")] for name in checks}
    # An executor would wait at exit for a check that hangs, as on a dead network file system.
    threads = [Thread(target=_run, args=(*each, found), daemon=True) for each in checks.items()]
    deadline = time.monotonic() + seconds
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return [replace(finding, check=finding.check or name) for name in checks for finding in found[name]]


def _run(name: str, check: Diagnostic, found: dict[str, list[Finding]]) -> None:
    try:
        found[name] = list(check()) or [well("no fault")]
    except Exception as error:  # noqa: BLE001 - a check that fails must not hide the others
        why = error if isinstance(error, LauncherError | OSError) else type(error).__name__
        found[name] = [warning(f"cannot be checked: {why}", "./fleetlog status")]


def as_text(findings: Sequence[Finding]) -> str:
    """Return findings as text: the worst first, each with its commands."""
    lines: list[str] = []
    groups = {level: [one for one in findings if one.level == level] for level in LEVELS}
    for level, group in groups.items():
        lines += [_TITLES[level]] if group else []
        for finding in group:
            lines += [f"  {finding.check:<{_WIDTH}} {finding.what}"]
            lines += [f"  {'':<{_WIDTH}}   $ {command}" for command in finding.commands]
        lines += [""] if group else []
    wrong, watched, well = map(len, groups.values())
    return "\n".join([*lines, f"{wrong} wrong, {watched} to watch, {well} well"])


def as_json(findings: Sequence[Finding]) -> str:
    """Return findings as a JSON document."""
    document = {
        "at": moment_text(datetime.now(UTC)),
        "state": worst(findings),
        "findings": [asdict(finding) for finding in findings],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)
