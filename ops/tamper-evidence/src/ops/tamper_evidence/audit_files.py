"""Verification of audit files: ZIPs with a signed list of their entries, one of which is a proof."""

import os
import re
import zlib
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import IO, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from ops.tamper_evidence.checkpoints import Checkpoint
from ops.tamper_evidence.proof_checks import Proven, check_proof
from ops.tamper_evidence.signed_notes import AUDIT_FILE, BadNote, VerifyingKey

MANIFEST: Final = "manifest"
PROOF: Final = "proof.ndjson"
_REQUIRED: Final = {"README.txt", "statement.html", "changes.csv", "changes.ndjson", PROOF}
_NAME: Final = re.compile(r"[a-zA-Z0-9-][a-zA-Z0-9.-]*(/[a-zA-Z0-9-][a-zA-Z0-9.-]*)*")
_MOST_ENTRIES: Final = 1000
_MOST_MANIFEST: Final = 1_000_000
_PIECE: Final = 1 << 16
_ENCRYPTED: Final = 1
_ENTRY: Final = b"PK\x03\x04"
_END: Final = b"PK\x05\x06"
_END_BYTES: Final = 22


class BadAuditFile(Exception):
    """An audit file is not valid."""


def check_audit_file(path: Path, key: VerifyingKey, known: Iterable[Checkpoint] = ()) -> Proven:
    """Verify an audit file, in memory that does not depend on its size, and return what its proof proves.

    Args:
        known: verified checkpoints that must not contradict it.

    Raises:
        BadAuditFile: the file is not valid.
        BadProof: its proof is not valid.
        OSError: it cannot be read.
    """
    try:
        with path.open("rb") as file, ZipFile(file) as archive:
            _require_nothing_around(file)
            origin, hashes = _manifest(archive, key)
            for name, expected in hashes.items():
                if _hash(archive, name) != expected:
                    raise BadAuditFile(f"{name} was changed")
            with archive.open(PROOF) as lines:
                proven = check_proof(lines, key, known)
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, UnicodeDecodeError):
        raise BadAuditFile("it is not a complete ZIP") from None
    if proven.end.origin != origin:
        raise BadAuditFile("its proof is of another log")
    return proven


def proof_header(path: Path) -> bytes:
    """Return the first line of an audit file's proof, unverified; raises `BadAuditFile`."""
    try:
        with ZipFile(path) as archive, archive.open(PROOF) as lines:
            return lines.readline(_MOST_MANIFEST)
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, KeyError, RuntimeError):
        raise BadAuditFile("it is not a complete ZIP") from None


def _require_nothing_around(file: IO[bytes]) -> None:
    """Refuse bytes before the first entry and after the directory, which `ZipFile` accepts."""
    file.seek(0)
    is_first = file.read(len(_ENTRY)) == _ENTRY
    file.seek(-_END_BYTES, os.SEEK_END)
    if not is_first or not file.read(_END_BYTES).startswith(_END):
        raise BadAuditFile("it has more than an audit file")


def _manifest(archive: ZipFile, key: VerifyingKey) -> tuple[str, dict[str, str]]:
    """Return the log's name and the hashes that the manifest lists, which are of all other entries."""
    entries = archive.infolist()
    if len(entries) > _MOST_ENTRIES or archive.comment:
        raise BadAuditFile("it has more than an audit file")
    if not entries or entries[-1].filename != MANIFEST or entries[-1].file_size > _MOST_MANIFEST:
        raise BadAuditFile("its last entry is not a manifest")
    for entry in entries:
        if not _is_plain(entry):
            raise BadAuditFile("it has an entry that no audit file has")
    try:
        text = key.open(archive.read(MANIFEST).decode())
        form, origin, *lines = text.splitlines()
        hashes = {name: digest for digest, _, name in (line.partition(" ") for line in lines)}
    except (BadNote, ValueError) as error:
        raise BadAuditFile(f"its manifest cannot be trusted: {error}") from None
    written = [f"{hashes[name]} {name}" for name in sorted(hashes)]
    if text != "".join(f"{line}\n" for line in (AUDIT_FILE, origin, *written)) or form != AUDIT_FILE:
        raise BadAuditFile("its manifest is not one of this format")
    names = [entry.filename for entry in entries[:-1]]
    if sorted(names) != sorted(hashes) or not hashes.keys() >= _REQUIRED:
        raise BadAuditFile("its entries are not those of its manifest")
    return origin, hashes


def _is_plain(entry: ZipInfo) -> bool:
    return (
        _NAME.fullmatch(entry.filename) is not None
        and entry.orig_filename == entry.filename
        and entry.compress_type in (ZIP_STORED, ZIP_DEFLATED)
        and not entry.flag_bits & _ENCRYPTED
    )


def _hash(archive: ZipFile, name: str) -> str:
    digest = sha256()
    with archive.open(name) as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
