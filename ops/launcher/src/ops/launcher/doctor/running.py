"""`doctor` as a command, whatever it looks at: takes the looks side by side, and tells what was found."""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from threading import Thread
from typing import Final

from ops.base.records.operations import moment_text
from ops.launcher.doctor.findings import LEVELS, Finding, Look, warning, worst
from ops.launcher.errors import LauncherError

LOOK_SECONDS: Final = 5.0
"""What a look may take, and so all of them, for they are taken at once."""
_TITLES: Final = {"wrong": "WRONG", "warning": "TO WATCH", "well": "WELL"}
_WIDTH: Final = 18


def add_doctor_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how it looks, and tells."""
    parser.description = (
        f"{parser.description or ''} It changes nothing. The exit status is 1 when something is wrong, and 0"
        " when nothing is, or there is only something to watch."
    ).strip()
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.add_argument(
        "--seconds",
        type=float,
        default=LOOK_SECONDS,
        metavar="NUMBER",
        help=f"what each look may take; all are taken side by side (default: {LOOK_SECONDS:g})",
    )


def run_doctor(arguments: argparse.Namespace, looks: Mapping[str, Look]) -> int:
    """Take the looks, tell what was found, and return the exit status.

    Args:
        arguments: of `add_doctor_arguments`.
        looks: by name.
    """
    findings = examine(looks, arguments.seconds)
    print(in_json(findings) if arguments.json else in_words(findings))
    return 1 if worst(findings) == "wrong" else 0


def examine(looks: Mapping[str, Look], seconds: float = LOOK_SECONDS) -> list[Finding]:
    """Take all looks, and return what they have found, in their order.

    Args:
        looks: by name.
        seconds: how long each may take; what is not done by then is told so, and left behind.
    """
    late = "has not been seen within {:g} s: {} hangs, or the machine is overloaded"
    found = {name: [warning(late.format(seconds, name), "uptime")] for name in looks}
    # Not an executor's: a look that hangs, on a dead network file system maybe, must not keep us from ending.
    threads = [Thread(target=_take, args=(*each, found), daemon=True) for each in looks.items()]
    deadline = time.monotonic() + seconds
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return [replace(finding, look=finding.look or name) for name in looks for finding in found[name]]


def _take(name: str, look: Look, found: dict[str, list[Finding]]) -> None:
    try:
        found[name] = list(look())
    except Exception as error:  # noqa: BLE001 - one look less must not take the others away
        why = error if isinstance(error, LauncherError | OSError) else type(error).__name__
        found[name] = [warning(f"cannot be looked at: {why}", "./fleetlog status")]


def in_words(findings: Sequence[Finding]) -> str:
    """Return what was found for people: the worst first, and below each what to type."""
    lines: list[str] = []
    groups = {level: [one for one in findings if one.level == level] for level in LEVELS}
    for level, group in groups.items():
        lines += [_TITLES[level]] if group else []
        for finding in group:
            lines += [f"  {finding.look:<{_WIDTH}} {finding.what}"]
            lines += [f"  {'':<{_WIDTH}}   $ {command}" for command in finding.commands]
        lines += [""] if group else []
    wrong, watched, well = map(len, groups.values())
    return "\n".join([*lines, f"{wrong} wrong, {watched} to watch, {well} well"])


def in_json(findings: Sequence[Finding]) -> str:
    """Return what was found for machines."""
    document = {
        "at": moment_text(datetime.now(UTC)),
        "state": worst(findings),
        "findings": [asdict(finding) for finding in findings],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)
