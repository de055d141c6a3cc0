"""Audit files: any change of the archive is found."""

import warnings
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from zipfile import ZIP_LZMA, ZipFile

import pytest

from ops.tamper_evidence.audit_files import BadAuditFile, check_audit_file
from ops.tamper_evidence.proofs import Scope
from ops.tamper_evidence.signed_notes import AUDIT_FILE, SigningKey
from ops.testing.sealed_logs import KEY, ORIGIN, OTHER_KEY, a_log, proof_of

Entries = list[tuple[str, bytes]]
ENTRIES: Entries = [
    ("README.txt", b"read me"),
    ("changes.csv", b"a,b\r\n"),
    ("changes.ndjson", b"{}\n"),
    ("proof.ndjson", proof_of(a_log(9), Scope("all"))),
    ("notes/1.txt", b"note"),
    ("statement.html", b"<!doctype html>"),
]


def manifest_of(entries: Entries, *, origin: str = ORIGIN, key: SigningKey = KEY) -> bytes:
    lines = [AUDIT_FILE, origin, *(f"{sha256(data).hexdigest()} {name}" for name, data in sorted(entries))]
    return key.sign("".join(f"{line}\n" for line in lines)).encode()


def written(path: Path, entries: Entries, manifest: bytes | None = None) -> Path:
    """Write a ZIP; by default with a manifest of these entries."""
    with ZipFile(path, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about repeated names
        for name, data in [*entries, ("manifest", manifest or manifest_of(entries))]:
            archive.writestr(name, data)
    return path


def test_unchanged_file_is_valid(tmp_path: Path) -> None:
    proven = check_audit_file(written(tmp_path / "file.zip", ENTRIES), KEY.verifying_key).proven
    assert (proven.events, proven.end.origin) == (9, ORIGIN)


@pytest.mark.parametrize(
    "change",
    [
        lambda entries: [(name, data.replace(b"read", b"Read")) for name, data in entries],
        lambda entries: entries[1:],
        lambda entries: [*entries, ("more.txt", b"")],
        lambda entries: [*entries, entries[0]],
        lambda entries: [*entries, ("manifest", b"")],
    ],
    ids=["changed", "missing", "unlisted", "repeated", "two manifests"],
)
def test_other_entries_than_those_of_the_manifest_are_refused(
    tmp_path: Path, change: Callable[[Entries], Entries]
) -> None:
    path = written(tmp_path / "file.zip", change(ENTRIES), manifest_of(ENTRIES))
    with pytest.raises(BadAuditFile):
        check_audit_file(path, KEY.verifying_key)


@pytest.mark.parametrize("name", ["../etc/passwd", "/README.txt", "a\\b", "a//b", "folder/", "a b", "a/../b"])
def test_name_that_no_audit_file_has_is_refused(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / "file.zip", [*ENTRIES, (name, b"")])
    with pytest.raises(BadAuditFile):
        check_audit_file(path, KEY.verifying_key)


@pytest.mark.parametrize(
    "manifest",
    [
        manifest_of(ENTRIES, key=OTHER_KEY),
        manifest_of(ENTRIES, origin="fleetlog/other"),
        manifest_of(ENTRIES).replace(b"1.txt", b"2.txt"),
        KEY.sign(f"{AUDIT_FILE}\n").encode(),
        b"",
        b"\xff",
    ],
    ids=["other key", "other log", "changed", "incomplete", "empty", "not text"],
)
def test_manifest_that_cannot_be_trusted_is_refused(tmp_path: Path, manifest: bytes) -> None:
    path = written(tmp_path / "file.zip", ENTRIES, manifest or b"\n")
    with pytest.raises(BadAuditFile):
        check_audit_file(path, KEY.verifying_key)


def test_incomplete_or_extended_archive_is_refused(tmp_path: Path) -> None:
    whole = written(tmp_path / "file.zip", ENTRIES).read_bytes()
    at = whole.index(b"read me")
    changed = [
        *(whole[:size] for size in (0, len(whole) // 2, len(whole) - 1)),
        whole + b"more",
        whole[:at] + b"Read" + whole[at + 4 :],
    ]
    for number, data in enumerate(changed):
        path = tmp_path / f"{number}.zip"
        path.write_bytes(data)
        with pytest.raises(BadAuditFile):
            check_audit_file(path, KEY.verifying_key)


def test_other_compression_than_deflate_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.zip"
    with ZipFile(path, "w", ZIP_LZMA) as archive:
        for name, data in [*ENTRIES, ("manifest", manifest_of(ENTRIES))]:
            archive.writestr(name, data)
    with pytest.raises(BadAuditFile):
        check_audit_file(path, KEY.verifying_key)
