"""`./fleetlog audit verify | export ID | check FILE`: whether the log is what it was, and proofs of it."""

import argparse
import os
import sys
from pathlib import Path

from ops.base.tamper_evidence.bundles import BadBundle, check_bundle
from ops.base.tamper_evidence.checkpoints import BadCheckpoint, VerifyingKey
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import running_instance
from ops.launcher.paths import PYTHON


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    verify = actions.add_parser("verify", help="recompute the whole log and hold it against its seals")
    add_data_argument(verify)
    export = actions.add_parser("export", help="print an entity's history with proofs")
    export.add_argument("entity", metavar="ID", help="an id, or its type and id: driver:EMP-001")
    add_data_argument(export)
    check = actions.add_parser("check", help="check such a history, with nothing but the public key")
    check.add_argument("bundle", type=Path, metavar="FILE", help="what export has printed")
    check.add_argument("--key", type=Path, required=True, help="file with the public key")


def run(arguments: argparse.Namespace) -> int:
    """Carry the action out."""
    match arguments.action:
        case "verify":
            return _projections(arguments.data, "verify")
        case "export":
            return _projections(arguments.data, "export", arguments.entity)
        case _:
            return _check(arguments.bundle, arguments.key)


def _projections(data: Path, *words: str) -> int:
    """Become `python -m projections …` with that instance's environment."""
    environment = {
        **os.environ,
        **running_instance(DataFolder(data)).environments["projections"],
        "FLEETLOG_PORT": "0",
    }
    command = [*PYTHON, "projections", *words]
    os.execve(command[0], command, environment)  # noqa: S606 - replaces this process


def _check(bundle: Path, key: Path) -> int:
    try:
        text, public = bundle.read_text("utf-8"), key.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LauncherError(f"cannot read: {error}") from None
    try:
        checkpoint, rows = check_bundle(text, VerifyingKey.parse(public))
    except (BadBundle, BadCheckpoint) as error:
        sys.stderr.write(f"NOT PROVEN: {error}\n")
        return 1
    for row in rows:
        moment = f"{row.moment:%Y-%m-%dT%H:%M:%S.%fZ}"
        print(f"{row.position:>10}  {moment}  version {row.originator_version}  {row.topic}")
    print(
        f"Proven: these were the first {len(rows)} events of {rows[0].originator_id} in the log"
        f" {checkpoint.origin} when it had {checkpoint.size} events."
    )
    return 0
