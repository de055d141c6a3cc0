"""The seals of a log, in a folder outside its database: signed checkpoints, and the hash of every event.

Checkpoints alone reveal that something was changed, but not where. The hashes need no signature, because the
checkpoints' roots are computed from them.
"""

import os
import re
import time
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import BinaryIO, Final

from ops.base.files import to_disk
from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.tamper_evidence.merkle_tree import root_of
from ops.tamper_evidence.signed_notes import SIGNATURE_MARK, SigningKey, VerifyingKey

HASH_BYTES: Final = 32
BLOCK: Final = 1024
"""Number of events in a block whose root `audit.subtrees` caches; a power of two."""
_HASHES_AT_ONCE: Final = 4096
_ASIDE: Final = "restarted-"
_DIGITS: Final = 19
"""More than any size has."""
_LAST_LINE: Final = SIGNATURE_MARK.encode()
"""Start of a note's last line."""


class BadSeals(Exception):
    """The folder or the log was changed; `position` is the place, if it is known."""

    def __init__(self, fault: str, position: int | None = None) -> None:
        super().__init__(fault)
        self.position = position


class SealedLog:
    """A folder with seals, which the first seal creates: the files `checkpoints` and `hashes`.

    Notes are appended to one file, because a year has up to 500,000. A note that a crash has cut off counts
    as none, and the next one replaces it. Of several notes of one size the last counts: the former ones have
    fewer accesses. The folder `stamps` has time stamps, with the notes that they stamp.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._hashes = folder / "hashes"
        self._checkpoints = folder / "checkpoints"
        self._lock = Lock()
        self._seen: tuple[int, ...] = ()
        """Inode, length and time of the indexed file."""
        self._last = b""
        """The last indexed note."""
        self._sizes, self._ends = array("q"), array("q")
        """Size, unverified, and end in the file of each note."""

    @property
    def hash_bytes(self) -> int:
        """Size of the file of hashes."""
        return self._hashes.stat().st_size if self._hashes.exists() else 0

    @property
    def hashed(self) -> int:
        """Position of the last event with a complete hash."""
        return self.hash_bytes // HASH_BYTES

    def hashes(self, *, up_to: int | None = None) -> Iterator[bytes]:
        """Yield the hashes of the events up to a position."""
        if not self._hashes.exists():
            return
        left = self.hashed if up_to is None else min(up_to, self.hashed)
        with self._hashes.open("rb") as file:
            while left > 0:
                data = file.read(min(left, _HASHES_AT_ONCE) * HASH_BYTES)
                for start in range(0, len(data) - HASH_BYTES + 1, HASH_BYTES):
                    yield data[start : start + HASH_BYTES]
                left = left - _HASHES_AT_ONCE if data else 0

    def block_root(self, number: int) -> bytes:
        """Return the root of the tree of a block of events, whose hashes must be complete."""
        with self._hashes.open("rb") as file:
            file.seek(number * BLOCK * HASH_BYTES)
            block = file.read(BLOCK * HASH_BYTES)
        return root_of([block[at : at + HASH_BYTES] for at in range(0, len(block), HASH_BYTES)])

    def checkpoints(self, key: VerifyingKey) -> Iterator[Checkpoint]:
        """Yield the checkpoints, the smallest first; raises `BadSeals`."""
        sizes = self._index()
        with self._open() as file:
            for number, size in enumerate(sizes):
                if sizes[number + 1 : number + 2] != sizes[number : number + 1]:
                    yield _read(self._read(file, number), size, key)

    def latest(self, key: VerifyingKey) -> Checkpoint | None:
        """Return the largest checkpoint; raises the errors of `checkpoints`."""
        sizes = self._index()
        with self._open() as file:
            return _read(self._read(file, len(sizes) - 1), sizes[-1], key) if sizes else None

    def has(self, checkpoint: Checkpoint, key: VerifyingKey) -> bool:
        """Return whether the folder has a checkpoint with the same size and root; see `checkpoints`."""
        note = self._find(checkpoint.size)
        return note != b"" and _read(note, checkpoint.size, key).of_log == checkpoint.of_log

    def note(self, size: int) -> str:
        """Return the signed note of a checkpoint, unverified; empty if there is none."""
        return self._find(size).decode(errors="replace")

    def notes(self) -> Iterator[str]:
        """Yield all notes, unverified, in the order of signing."""
        numbers = range(len(self._index()))
        with self._open() as file:
            for number in numbers:
                yield self._read(file, number).decode(errors="replace")

    def newest(self) -> int:
        """Return the size of the newest checkpoint, unverified; 0 if there is none."""
        return max((0, *self._index()[-1:]))

    def add_time_stamp(self, note: str, authority: str, response: bytes) -> None:
        """Store a time stamp of a checkpoint, and its note, which a later one of the same size replaces."""
        size, digest = Checkpoint.from_unverified_note(note).size, sha256(note.encode()).hexdigest()[:16]
        of_authority = re.sub(r"[^a-z0-9]+", "-", authority.partition("://")[2].lower()).strip("-")
        stamps = self.folder / "stamps"
        stamps.mkdir(parents=True, exist_ok=True)
        write_atomically(stamps / f"{size:019}-{digest}.note", note.encode())
        write_atomically(stamps / f"{size:019}-{digest}.{of_authority}.tsr", response)

    def time_stamps(self) -> Iterator[tuple[str, str, bytes]]:
        """Yield the note, unverified, the file's name and the response of all time stamps."""
        for path in sorted((self.folder / "stamps").glob("*.tsr")):
            note = path.with_name(f"{path.name.partition('.')[0]}.note")
            text = note.read_text("utf-8", errors="replace") if note.exists() else ""
            yield text, path.name, path.read_bytes()

    def await_hashes(self, *, seconds: float) -> None:
        """Wait until the hashes of the latest checkpoint, which are written after it, are complete."""
        deadline = time.monotonic() + seconds
        while self.hashed < self.newest() and time.monotonic() < deadline:
            time.sleep(0.05)

    def seal(self, hashes: Sequence[bytes], checkpoint: Checkpoint, key: SigningKey) -> str:
        """Write a signed checkpoint, then the hashes since the previous one, and return the signed note.

        In this order, hashes without a checkpoint reveal its removal. After a crash between the two, `append`
        adds the hashes.

        Args:
            hashes: of the events after the previous checkpoint; empty if only the access log has grown.

        Raises:
            BadSeals: the folder does not end with the previous checkpoint.
        """
        latest, expected = self.newest(), checkpoint.size - len(hashes)
        if (latest, self.hash_bytes) != (expected, expected * HASH_BYTES):
            raise BadSeals("the seals are not as they were left", min(latest, self.hashed) + 1)
        note = checkpoint.signed(key)
        self._add([note])
        self.append(hashes)
        return note

    def follow(self, notes: Iterable[str]) -> None:
        """Write later checkpoints, unverified, in the order of signing; raises `BadSeals`.

        Checkpoints that they skip are deleted, because sealing was restarted. Sealing adds the hashes later.
        """
        for note in notes:
            try:
                checkpoint = Checkpoint.from_unverified_note(note)
            except BadCheckpoint as error:
                raise BadSeals(str(error)) from None
            valid = bisect_right(self._index(), checkpoint.previous)
            if self._ends[valid:]:
                os.truncate(self._checkpoints, self._ends[valid - 1] if valid else 0)
            if self.hashed > checkpoint.previous and checkpoint.size != self.hashed:
                os.truncate(self._hashes, checkpoint.previous * HASH_BYTES)
            self._add([note])

    def replace(self, notes: Iterable[str], hashes: Path) -> Path:
        """Replace all seals, and return the subfolder to which the former ones were moved.

        Args:
            hashes: a file in this folder, which is renamed to the file of hashes.
        """
        aside = self.folder / f"{_ASIDE}{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}"
        aside.mkdir()
        for path in (self._checkpoints, self._hashes):
            if path.exists():
                path.rename(aside / path.name)
        self._add(notes)
        hashes.rename(self._hashes)
        to_disk(self.folder)
        return aside

    def append(self, hashes: Iterable[bytes]) -> None:
        """Append hashes after the last complete one."""
        _write(self._hashes, self.hashed * HASH_BYTES, hashes)

    def _add(self, notes: Iterable[str]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        end = self._ends[-1] if self._index() else 0
        _write(self._checkpoints, end, (note.encode() for note in notes))

    def _index(self) -> Sequence[int]:
        """Read the notes that were added since the last call, and return the sizes of all."""
        with self._lock:
            try:
                status = self._checkpoints.stat()
            except FileNotFoundError:
                self._seen, self._sizes, self._ends = (), array("q"), array("q")
                return self._sizes
            seen = (status.st_ino, status.st_size, status.st_mtime_ns)
            if self._seen == seen:
                return self._sizes
            with self._open() as file:
                if not self._sizes or self._read(file, len(self._sizes) - 1) != self._last:
                    self._sizes, self._ends = array("q"), array("q")
                end = self._ends[-1] if self._ends else 0
                file.seek(end)
                lines = list[bytes]()
                for line in file:
                    lines.append(line)
                    if line.startswith(_LAST_LINE) and line.endswith(b"\n"):
                        end += sum(map(len, lines))
                        self._sizes.append(_size(lines))
                        self._ends.append(end)
                        self._last = b"".join(lines)
                        lines.clear()
            self._seen = seen
            return self._sizes

    def _find(self, size: int) -> bytes:
        sizes = self._index()
        number = bisect_right(sizes, size) - 1
        if number < 0 or sizes[number] != size:
            return b""
        with self._open() as file:
            return self._read(file, number)

    def _open(self) -> BinaryIO:
        return self._checkpoints.open("rb") if self._checkpoints.exists() else BytesIO()

    def _read(self, file: BinaryIO, number: int) -> bytes:
        start = self._ends[number - 1] if number else 0
        file.seek(start)
        return file.read(self._ends[number] - start)


def _size(lines: Sequence[bytes]) -> int:
    """Return the size that a note's second line states; -1 if it is no checkpoint."""
    line = lines[1].strip() if len(lines) > 1 else b""
    return int(line) if line.isdigit() and len(line) < _DIGITS else -1


def _read(note: bytes, size: int, key: VerifyingKey) -> Checkpoint:
    position = None if size < 0 else size
    try:
        return Checkpoint.from_note(note.decode(), key)
    except UnicodeDecodeError:
        raise BadSeals("a checkpoint is no text", position) from None
    except BadCheckpoint as error:
        raise BadSeals(f"a checkpoint cannot be trusted ({error})", position) from None


def _write(path: Path, start: int, parts: Iterable[bytes]) -> None:
    """Write a file durably from an offset to its new end."""
    with path.open("r+b" if path.exists() else "w+b") as file:
        file.seek(start)
        for part in parts:
            file.write(part)
        file.truncate()
        file.flush()
        os.fsync(file.fileno())
    to_disk(path.parent)


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file atomically and durably."""
    unfinished = path.with_suffix(".new")
    with unfinished.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
    to_disk(path.parent)
