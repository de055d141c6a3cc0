"""`./fleetlog audit`: verification of the log, and proofs of a record's history.

Examples:
  ./fleetlog audit verify
  ./fleetlog audit export driver:EMP-001 > proof.ndjson
  ./fleetlog audit check audit-file.zip --key public-key
  ./fleetlog audit restart-sealing --reason 'seals lost with disk 2'
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from cryptography.x509 import Certificate

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder, add_actions, add_data_argument
from ops.launcher.instance.record import running_instance
from ops.launcher.services import become
from ops.tamper_evidence.audit_files import (
    ZIP_MAGIC,
    BadAuditFile,
    CheckedAuditFile,
    check_audit_file,
    proof_header,
)
from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.tamper_evidence.proof_checks import (
    BadProof,
    Contradiction,
    Proven,
    check_proof,
    signed_checkpoints,
)
from ops.tamper_evidence.signed_notes import BadNote, VerifyingKey
from ops.tamper_evidence.time_stamps import read_authorities


def configure(parser: argparse.ArgumentParser) -> None:
    add_data_argument(parser)
    verify, begin, export, check = add_actions(
        parser,
        {
            "verify": "compare the log and the read tables with the seals",
            "restart-sealing": "continue after seals were lost or do not match; later seals state why",
            "export": "print the history of a record and the proof that it is complete",
            "check": "check proofs offline, with the public key alone",
        },
    )
    for action, what in ((verify, "the seals"), (check, "the proofs")):
        action.add_argument(
            "--checkpoint",
            type=Path,
            action="append",
            default=[],
            metavar="FILE",
            help=f"also compare {what} with a checkpoint that was stored elsewhere",
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
    check.add_argument(
        "proofs", type=Path, nargs="+", metavar="FILE", help="an audit file, or the output of export"
    )
    check.add_argument(
        "--authority",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="certificates (PEM) of an authority of time stamps, which are checked then",
    )
    add_key_argument(check)


def add_key_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--key`, the public key that an offline check needs."""
    parser.add_argument("--key", required=True, metavar="PUBKEY", help="the public key, or a file with it")


def run(arguments: argparse.Namespace) -> int:
    if arguments.action != "check":
        environments = running_instance(DataFolder(arguments.data)).environments
        become("projections", environments["projections"], arguments.action, *_words(arguments))
    with ExitStack() as copies:
        arguments.proofs = [copies.enter_context(_stored(path)) for path in arguments.proofs]
        return _check(arguments)


def _words(arguments: argparse.Namespace) -> list[str]:
    if arguments.action == "verify":
        log_only = ["--log-only"] if arguments.log_only else []
        return [*(f"--checkpoint={path}" for path in arguments.checkpoint), *log_only]
    if arguments.action == "restart-sealing":
        return [f"--reason={arguments.reason}"]
    return [*(["--opened"] if arguments.opened else []), "--", arguments.entity]


def _check(arguments: argparse.Namespace) -> int:
    key, paths = read_public_key(arguments.key), arguments.proofs
    authorities = [one for path in arguments.authority for one in _certificates(path)]
    own = {path: _checkpoints_of(path, key) for path in paths}
    known = [
        *(_kept_checkpoint(path, key) for path in arguments.checkpoint),
        *(one for found in own.values() for one in found),
    ]
    checked: dict[Path, CheckedAuditFile] = {}
    faults: dict[Path, str] = {}
    contradicting: list[Checkpoint] = []
    for path in paths:
        try:
            checked[path] = _checked(path, key, known, authorities)
        except (BadProof, BadAuditFile) as error:
            faults[path] = str(error)
            contradicting += error.checkpoints if isinstance(error, Contradiction) else []
    for path in paths:
        label = f"{path}: " if len(paths) > 1 else ""
        if any(one in contradicting for one in own[path]):
            faults.setdefault(path, "another file contradicts its checkpoint")
        if path in faults:
            sys.stderr.write(f"{label}NOT PROVEN: {faults[path]}\n")
        else:
            _print_proven(label, checked[path].proven, key)
            _print_stamps(label, checked[path].stamps, are_checked=bool(authorities))
    return 1 if faults else 0


@contextmanager
def _stored(path: Path) -> Iterator[Path]:
    """Copy a pipe, such as standard input, to a file, because a file is read more than once."""
    if path.is_file() or not path.exists():
        yield path
        return
    with NamedTemporaryFile() as copy:
        copy.writelines(_lines_of(path))
        copy.flush()
        yield Path(copy.name)


def _print_stamps(label: str, stamps: int, *, are_checked: bool) -> None:
    if stamps and are_checked:
        print(f"{label}Time stamps of the last checkpoint: {stamps}, by the given authorities.")
    elif stamps:
        print(f"{label}Not checked: by whom its {stamps} time stamps are. Give the authority's certificates.")


def _print_proven(label: str, proven: Proven, key: VerifyingKey) -> None:
    scope, start, end = proven.scope, proven.start, proven.end
    for event in proven.history:
        moment = event["moment"].replace("+00:00", "Z")
        print(f"{event['position']:>10}  {moment}  version {event['originator_version']}  {event['topic']}")
    every = f"all events ({proven.events})"
    what = {
        "all": f"these are {every}",
        "nothing": "events were only added",
        "type": f"these are {every} of all records ({proven.streams}) of type {scope.name}",
        "stream": f"these are {every} of {scope.name}",
    }[scope.kind]
    since = f" after position {start.size}{_time_of(start)}" if start else ""
    print(
        f"{label}Proven: {what} in the log {end.origin}{since} up to position {end.size}{_time_of(end)},"
        f" unchanged. Signed by {key.name}."
    )
    for restart in end.restarts:
        print(f"{label}{restart}")
    for one in dict.fromkeys(proven.not_compared):
        print(f"{label}Not compared: the checkpoint of position {one.size} of {one.origin}")
    if proven.opened:
        print(f"{label}Not proven: the decrypted values. If in doubt, export again from the instance.")


def _time_of(checkpoint: Checkpoint) -> str:
    return f", at {checkpoint.moment:%Y-%m-%dT%H:%M:%SZ}" if checkpoint.moment else ""


def _checked(
    path: Path, key: VerifyingKey, known: Sequence[Checkpoint], authorities: Sequence[Certificate]
) -> CheckedAuditFile:
    if not _is_audit_file(path):
        return CheckedAuditFile(check_proof(_lines_of(path), key, known), stamps=0)
    try:
        return check_audit_file(path, key, known, authorities)
    except OSError as error:
        raise LauncherError(f"cannot read {path}: {error.strerror}") from None


def _checkpoints_of(path: Path, key: VerifyingKey) -> list[Checkpoint]:
    if not _is_audit_file(path):
        return signed_checkpoints(next(_lines_of(path), b""), key)
    with suppress(BadAuditFile, OSError):
        return signed_checkpoints(proof_header(path), key)
    return []


def _is_audit_file(path: Path) -> bool:
    return next(_lines_of(path), b"").startswith(ZIP_MAGIC)


def _certificates(path: Path) -> list[Certificate]:
    try:
        return read_authorities(path.read_bytes())
    except OSError as error:
        raise LauncherError(f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        raise LauncherError(f"{path} has no certificates in PEM") from None


def _kept_checkpoint(path: Path, key: VerifyingKey) -> Checkpoint:
    try:
        return Checkpoint.from_note(read_text(path), key)
    except BadCheckpoint as error:
        raise LauncherError(f"{path} is not a checkpoint of this instance: {error}") from None


def _lines_of(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            yield from file
    except OSError as error:
        raise LauncherError(f"cannot read {path}: {error.strerror}") from None


def read_public_key(word: str) -> VerifyingKey:
    """Parse a public key, or the content of the file with that name."""
    with suppress(BadNote):
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
