"""`./fleetlog audit verify | export ID | check FILE | begin-anew`: whether the log is what it was."""

import argparse
import contextlib
import sys
from pathlib import Path
from typing import NoReturn

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import running_instance
from ops.launcher.services import become_projections
from ops.tamper_evidence.bundles import BadBundle, check_bundle, shows_opened
from ops.tamper_evidence.signed_notes import BadNote, VerifyingKey


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    data = argparse.ArgumentParser(add_help=False)  # `--data` after the action, too
    data.add_argument("--data", type=Path, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    verify = actions.add_parser(
        "verify", help="hold the log, and what people look at, against its seals", parents=[data]
    )
    verify.add_argument(
        "--checkpoint",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a checkpoint that was kept elsewhere: hold the seals against it as well",
    )
    verify.add_argument(
        "--log-only", action="store_true", help="leave out the read tables, which take most of the time"
    )
    begin = actions.add_parser(
        "begin-anew",
        help="let sealing go on where seals are gone or do not fit; every later seal tells why",
        parents=[data],
    )
    begin.add_argument("--reason", required=True, metavar="TEXT", help="why: it is told for ever")
    export = actions.add_parser("export", help="print an entity's history with proofs", parents=[data])
    export.add_argument("entity", metavar="ID", help="an id, or its type and id: driver:EMP-001")
    export.add_argument(
        "--opened",
        action="store_true",
        help="show what is in its boxes as well: personal data, which it does not prove",
    )
    check = actions.add_parser("check", help="check such a history, with nothing but the public key")
    check.add_argument("bundle", type=Path, metavar="FILE", help="what export has printed")
    check.add_argument(
        "--key", required=True, metavar="PUBKEY", help="the public key, or the file that holds it"
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry the action out."""
    match arguments.action:
        case "verify":
            kept = [word for path in arguments.checkpoint for word in ("--checkpoint", str(path))]
            log_only = ["--log-only"] if arguments.log_only else []
            return _projections(arguments.data, "verify", *kept, *log_only)
        case "begin-anew":
            return _projections(arguments.data, "begin-anew", f"--reason={arguments.reason}")
        case "export":
            opened = ["--opened"] if arguments.opened else []
            return _projections(arguments.data, "export", *opened, "--", arguments.entity)
        case _:
            return _check(arguments.bundle, arguments.key)


def _projections(data: Path, *words: str) -> NoReturn:
    become_projections(running_instance(DataFolder(data)).environments["projections"], *words)


def _check(bundle: Path, key: str) -> int:
    text = text_of(bundle)
    public = public_key(key)
    try:
        checkpoint, rows = check_bundle(text, public)
    except BadBundle as error:
        sys.stderr.write(f"NOT PROVEN: {error}\n")
        return 1
    for row in rows:
        moment = f"{row.moment:%Y-%m-%dT%H:%M:%S.%fZ}"
        print(f"{row.position:>10}  {moment}  version {row.originator_version}  {row.topic}")
    print(
        f"Proven: these are the first {len(rows)} events of {rows[0].originator_id} in the log"
        f" {checkpoint.origin}, unchanged.\nSigned for by {public.name}: there were no more of them when"
        f" the log had {checkpoint.size} events"
        f"{f', at {checkpoint.moment:%Y-%m-%dT%H:%M:%SZ}' if checkpoint.moment else ''}."
    )
    for beginning in checkpoint.beginnings:
        print(beginning)
    if shows_opened(text):
        print("Not proven: what it shows as opened. In doubt export it again, where the keys are.")
    return 0


def public_key(word: str) -> VerifyingKey:
    """Read a public key, or the file that holds it.

    Raises:
        LauncherError: it is none.
    """
    with contextlib.suppress(BadNote):
        return VerifyingKey.parse(word)
    try:
        return VerifyingKey.parse(text_of(Path(word)))
    except BadNote as error:
        raise LauncherError(f"{word} is no public key of an instance: {error}") from None


def text_of(path: Path) -> str:
    """Read a file.

    Raises:
        LauncherError: it cannot be read, or is no text.
    """
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise LauncherError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise LauncherError(f"{path} is no text") from None
