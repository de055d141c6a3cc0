"""`./fleetlog audit`: verification of the log, and proofs of a record's history.

Examples:
  ./fleetlog audit verify
  ./fleetlog audit export driver:EMP-001 > history.json
  ./fleetlog audit check history.json --key public-key
  ./fleetlog audit restart-sealing --reason 'seals lost with disk 2'
"""

import argparse
import contextlib
import sys
from pathlib import Path

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder, add_actions, add_data_argument
from ops.launcher.instance.record import running_instance
from ops.launcher.services import become
from ops.tamper_evidence.bundles import BadBundle, check_bundle, has_decrypted_events
from ops.tamper_evidence.signed_notes import BadNote, VerifyingKey


def configure(parser: argparse.ArgumentParser) -> None:
    add_data_argument(parser)
    verify, begin, export, check = add_actions(
        parser,
        {
            "verify": "compare the log and the read tables with the seals",
            "restart-sealing": "continue after seals were lost or do not match; later seals state why",
            "export": "print the history of a record with proofs",
            "check": "check an exported history offline, with the public key alone",
        },
    )
    verify.add_argument(
        "--checkpoint",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="also compare the seals with a checkpoint that was stored elsewhere",
    )
    verify.add_argument(
        "--log-only", action="store_true", help="skip the read tables, which take most of the time"
    )
    begin.add_argument("--reason", required=True, metavar="TEXT", help="published with all later seals")
    export.add_argument("entity", metavar="ID", help="a record's id, or its type and id: driver:EMP-001")
    export.add_argument(
        "--opened",
        action="store_true",
        help="include the decrypted personal data, which the export does not prove",
    )
    check.add_argument("bundle", type=Path, metavar="FILE", help="the output of export")
    add_key_argument(check)


def add_key_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--key`, the public key that an offline check needs."""
    parser.add_argument("--key", required=True, metavar="PUBKEY", help="the public key, or a file with it")


def run(arguments: argparse.Namespace) -> int:
    if arguments.action != "check":
        environments = running_instance(DataFolder(arguments.data)).environments
        become("projections", environments["projections"], arguments.action, *_words(arguments))
    return _check(arguments.bundle, arguments.key)


def _words(arguments: argparse.Namespace) -> list[str]:
    if arguments.action == "verify":
        log_only = ["--log-only"] if arguments.log_only else []
        return [*(f"--checkpoint={path}" for path in arguments.checkpoint), *log_only]
    if arguments.action == "restart-sealing":
        return [f"--reason={arguments.reason}"]
    return [*(["--opened"] if arguments.opened else []), "--", arguments.entity]


def _check(bundle: Path, key: str) -> int:
    text = read_text(bundle)
    public = read_public_key(key)
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
        f" {checkpoint.origin}, unchanged.\nSigned by {public.name}: the record had no other events when"
        f" the log had {checkpoint.size} events"
        f"{f', at {checkpoint.moment:%Y-%m-%dT%H:%M:%SZ}' if checkpoint.moment else ''}."
    )
    for restart in checkpoint.restarts:
        print(restart)
    if has_decrypted_events(text):
        print("Not proven: the decrypted values. If in doubt, export again from the instance.")
    return 0


def read_public_key(word: str) -> VerifyingKey:
    """Parse a public key, or the content of the file with that name."""
    with contextlib.suppress(BadNote):
        return VerifyingKey.parse(word)
    try:
        return VerifyingKey.parse(read_text(Path(word)))
    except BadNote as error:
        raise LauncherError(f"{word} is not the public key of an instance: {error}") from None


def read_text(path: Path) -> str:
    """Read a file."""
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise LauncherError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise LauncherError(f"{path} is not a text file") from None
