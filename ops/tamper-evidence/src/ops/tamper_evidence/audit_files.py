"""Verification of audit files: ZIPs with a signed list of their entries, one of which is a proof."""

import os
import re
import zlib
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from struct import Struct, error
from typing import IO, Final, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from cryptography.x509 import Certificate

from ops.tamper_evidence.checkpoints import Checkpoint
from ops.tamper_evidence.proof_checks import Proven, check_proof
from ops.tamper_evidence.signed_notes import AUDIT_FILE, BadNote, VerifyingKey
from ops.tamper_evidence.time_stamps import BadTimeStamp, check_imprint, check_time_stamp

ZIP_MAGIC: Final = b"PK"
"""What an audit file begins with; proofs do not."""
MANIFEST: Final = "manifest"
PROOF: Final = "proof.ndjson"
_STAMP: Final = re.compile(r"stamps/[^/]+\.tsr")
_NAME: Final = re.compile(r"[0-9A-Za-z.-]+(/[0-9A-Za-z.-]+)*")
_DOTS: Final = re.compile(r"(.*/)?\.+(/.*)?")
_MOST_ENTRIES: Final = 1000
_MOST_BYTES: Final = 1 << 20
_PIECE: Final = 1 << 16
_DESCRIPTOR_FOLLOWS: Final = 8
_FLAGS: Final = 0x0806 | _DESCRIPTOR_FOLLOWS
_LOCAL_HEADER: Final = Struct("<4sHHHxxxxLLLHH")
_DESCRIPTORS: Final = (Struct("<4sLLL"), Struct("<4sLQQ"))
_DIRECTORY_ENTRY: Final = 46
_LENGTHS: Final = Struct("<HHH")
"""Of an entry's name, extra fields and comment in the directory."""
_LENGTHS_AT: Final = 28
_END_RECORD: Final = Struct("<4sHHHHLLH")
_ZIP64_RECORDS: Final = 56 + 20
"""Length of ZIP64's end record and its locator, which precede the end record."""
_ZIP64: Final = Struct("<HHQQ")
_ZIP64_ID: Final = 1
_ZIP64_VERSION: Final = 45
_SIZE_IN_EXTRA: Final = 0xFFFFFFFF


class BadAuditFile(Exception):
    """An audit file is not valid."""


class CheckedAuditFile(NamedTuple):
    """A valid audit file."""

    proven: Proven
    stamps: int
    """Number of its time stamps."""


def check_audit_file(
    path: Path,
    key: VerifyingKey,
    known: Iterable[Checkpoint] = (),
    authorities: Sequence[Certificate] = (),
) -> CheckedAuditFile:
    """Verify an audit file, in memory that does not depend on its size.

    Args:
        known: verified checkpoints that must not contradict it.
        authorities: of time stamps; none: only what is stamped is checked, not by whom.

    Raises:
        BadAuditFile: the file is not valid.
        BadProof: its proof is not valid.
        OSError: it cannot be read.
    """
    try:
        with path.open("rb") as file, ZipFile(file) as archive:
            _require_plain_layout(archive, file)
            origin, hashes = _manifest(archive, key)
            _hash(file, archive.getinfo(MANIFEST))
            for name, expected in hashes.items():
                if _hash(file, archive.getinfo(name)) != expected:
                    raise BadAuditFile(f"{name} was changed")
            with archive.open(PROOF) as lines:
                proven = check_proof(lines, key, known)
            if proven.end.origin != origin:
                raise BadAuditFile("its proof is of another log")
            stamps = [_read(archive, name) for name in hashes if _STAMP.fullmatch(name)]
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, error):
        raise BadAuditFile("it is not a complete ZIP of the format") from None
    for stamp in stamps:
        try:
            if authorities:
                check_time_stamp(stamp, proven.end, authorities)
            else:
                check_imprint(stamp, proven.end)
        except BadTimeStamp as fault:
            raise BadAuditFile(f"a time stamp is not valid: {fault}") from None
    return CheckedAuditFile(proven, len(stamps))


def proof_header(path: Path) -> bytes:
    """Return the first line of an audit file's proof, unverified; raises `BadAuditFile` or `OSError`."""
    try:
        with ZipFile(path) as archive, archive.open(PROOF) as lines:
            return lines.readline(_MOST_BYTES)
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, KeyError, RuntimeError, ValueError):
        raise BadAuditFile("it is not a complete ZIP of the format") from None


def _manifest(archive: ZipFile, key: VerifyingKey) -> tuple[str, dict[str, str]]:
    """Return the log's name and the hashes that the manifest lists, which are of all other entries."""
    names = archive.namelist()
    if MANIFEST not in names:
        raise BadAuditFile("it has no manifest")
    try:
        text = key.open(_read(archive, MANIFEST).decode())
    except (BadNote, UnicodeDecodeError) as fault:
        raise BadAuditFile(f"its manifest cannot be trusted: {fault}") from None
    _, origin, *lines = [*text.splitlines(), ""]
    hashes = {name: digest for digest, _, name in (line.partition(" ") for line in lines[:-1])}
    written = [f"{hashes[name]} {name}" for name in sorted(hashes)]
    if text != "".join(f"{line}\n" for line in (AUDIT_FILE, origin, *written)):
        raise BadAuditFile("its manifest is not one of this format")
    if sorted(names) != sorted([*hashes, MANIFEST]) or PROOF not in hashes:
        raise BadAuditFile("its entries are not those of its manifest")
    return origin, hashes


def _require_plain_layout(archive: ZipFile, file: IO[bytes]) -> None:
    """Raise BadAuditFile if readers could see different contents."""
    entries, at = archive.infolist(), 0
    if len(entries) > _MOST_ENTRIES:
        raise BadAuditFile("it has more than an audit file")
    for entry in entries:
        if not _is_plain(entry):
            raise BadAuditFile("it has an entry that no audit file has")
        at = _end_of(entry, file, at)
    directory = 0
    for entry in entries:
        lengths = (len(entry.filename), len(entry.extra), 0)
        file.seek(at + directory + _LENGTHS_AT)
        if file.read(_LENGTHS.size) != _LENGTHS.pack(*lengths):
            raise BadAuditFile("its directory is malformed")
        directory += _DIRECTORY_ENTRY + sum(lengths)
    end = file.seek(-_END_RECORD.size, os.SEEK_END)
    _, *found = _END_RECORD.unpack(file.read(_END_RECORD.size))
    expected = (0, 0, len(entries), len(entries), directory, at, 0)
    is_long = end - at - directory == _ZIP64_RECORDS  # then a number of all ones stands for a longer one
    fits = all(
        one == other or (is_long and one in (0xFFFF, _SIZE_IN_EXTRA))
        for one, other in zip(found, expected, strict=True)
    )
    if at != archive.start_dir or end - at - directory not in (0, _ZIP64_RECORDS) or not fits:
        raise BadAuditFile("it has more than its entries")


def _is_plain(entry: ZipInfo) -> bool:
    return (
        _NAME.fullmatch(entry.filename) is not None
        and not _DOTS.fullmatch(entry.filename)
        and entry.orig_filename == entry.filename
        and entry.compress_type in (ZIP_STORED, ZIP_DEFLATED)
        and not entry.flag_bits & ~_FLAGS
        and not entry.volume
        and entry.extract_version <= _ZIP64_VERSION
        and (not entry.extra or _is_zip64(entry.extra))
        and entry.external_attr >> 28 in (0, 8)
        and not entry.external_attr & 0x10
    )


def _is_zip64(extra: bytes) -> bool:
    return int.from_bytes(extra[:2], "little") == _ZIP64_ID and len(extra) == 4 + int.from_bytes(
        extra[2:4], "little"
    )


def _end_of(entry: ZipInfo, file: IO[bytes], start: int) -> int:
    """Return where an entry ends that must begin at a place and agree with its local header."""
    file.seek(start)
    header = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
    magic, _, flags, method, crc, packed, size, name_length, extra_length = header
    name, extra = file.read(name_length), file.read(extra_length)
    follows = bool(flags & _DESCRIPTOR_FOLLOWS)
    sizes = (entry.CRC, entry.compress_size, entry.file_size)
    fits = (
        entry.header_offset == start
        and magic == b"PK\x03\x04"
        and (name.decode(), flags, method) == (entry.filename, entry.flag_bits, entry.compress_type)
        and extra in (b"", *(_ZIP64.pack(_ZIP64_ID, 16, *both) for both in ((0, 0), sizes[:0:-1])))
        and (crc == entry.CRC or (follows and crc == 0))
        and all(
            value in (expected, _SIZE_IN_EXTRA) or (follows and value == 0)
            for value, expected in zip((packed, size), sizes[1:], strict=True)
        )
    )
    end: int = start + _LOCAL_HEADER.size + name_length + extra_length + entry.compress_size
    if fits and not follows:
        return end
    descriptor = _DESCRIPTORS[bool(extra)]  # its sizes have 64 bits if the header has ZIP64's field
    file.seek(end)
    if fits and file.read(descriptor.size) == descriptor.pack(b"PK\x07\x08", *sizes):
        return end + descriptor.size
    raise BadAuditFile(f"{entry.filename} is not what the ZIP's directory says")


def _read(archive: ZipFile, name: str) -> bytes:
    with archive.open(name) as file:
        if len(contents := file.read(_MOST_BYTES)) < _MOST_BYTES:
            return contents
    raise BadAuditFile(f"{name} is too long")


def _hash(file: IO[bytes], entry: ZipInfo) -> str:
    """Return the hash of an entry's contents, which must end where the entry does."""
    file.seek(entry.header_offset)
    *_, name_length, extra_length = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
    file.seek(name_length + extra_length, os.SEEK_CUR)
    inflater = zlib.decompressobj(-zlib.MAX_WBITS) if entry.compress_type == ZIP_DEFLATED else None
    digest, left, size, crc, held = sha256(), entry.compress_size, 0, 0, b""
    while True:
        if not held and left:
            held = file.read(min(left, _PIECE))
            left -= len(held)
        piece = inflater.decompress(held, _PIECE) if inflater else held
        is_last = (not held and not piece) or (inflater is not None and bool(inflater.unused_data))
        held = inflater.unconsumed_tail if inflater else b""
        if is_last:
            break
        digest.update(piece)
        size, crc = size + len(piece), zlib.crc32(piece, crc)
    is_whole = inflater is None or (inflater.eof and not inflater.unused_data)
    if (size, crc) != (entry.file_size, entry.CRC) or not is_whole:
        raise BadAuditFile(f"{entry.filename} does not end where the ZIP says")
    return digest.hexdigest()
