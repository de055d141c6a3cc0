"""The seals of a log, in a folder outside its database: signed checkpoints, and the hash of every event.

Checkpoints alone reveal that something was changed, but not where. The hashes need no signature, because the
checkpoints' roots are computed from them.
"""

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ops.base.files import to_disk
from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.tamper_evidence.merkle_tree import root_of
from ops.tamper_evidence.signed_notes import SigningKey, VerifyingKey

HASH_BYTES: Final = 32
BLOCK: Final = 1024
"""Number of events in a block whose root `audit.subtrees` caches; a power of two."""
_HASHES_AT_ONCE: Final = 4096
_ASIDE: Final = "restarted-"


class BadSeals(Exception):
    """The folder or the log was changed; `position` is the place, if it is known."""

    def __init__(self, fault: str, position: int | None = None) -> None:
        super().__init__(fault)
        self.position = position


class SealedLog:
    """A folder with seals, which the first seal creates."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._hashes = folder / "hashes"
        self._checkpoints = folder / "checkpoints"

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
        for size, path in self._notes():
            yield _read(path, size, key)

    def latest(self, key: VerifyingKey) -> Checkpoint | None:
        """Return the largest checkpoint; raises the errors of `checkpoints`."""
        notes = self._notes()
        return _read(notes[-1][1], notes[-1][0], key) if notes else None

    def has(self, checkpoint: Checkpoint, key: VerifyingKey) -> bool:
        """Return whether the folder has a checkpoint with the same size and root; see `checkpoints`."""
        path = self._path(checkpoint.size)
        return path.exists() and _read(path, checkpoint.size, key).of_log == checkpoint.of_log

    def note(self, size: int) -> str:
        """Return the signed note of a checkpoint's file, unverified; empty if there is none."""
        path = self._path(size)
        return path.read_text("utf-8", errors="replace") if path.exists() else ""

    def note_files(self) -> list[Path]:
        """Return the files of checkpoints, the smallest first."""
        return sorted(self._checkpoints.glob("*.note"))

    def newest(self) -> int:
        """Return the size of the newest checkpoint, unverified; 0 if there is none."""
        return max((size for size, _ in self._notes()), default=0)

    def await_hashes(self, *, seconds: float) -> None:
        """Wait until the hashes of the latest checkpoint, which are written after it, are complete."""
        deadline = time.monotonic() + seconds
        while (notes := self._notes()) and self.hashed < notes[-1][0] and time.monotonic() < deadline:
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
        self.write_note(checkpoint.size, note)
        self.append(hashes)
        return note

    def write_note(self, size: int, note: str) -> None:
        """Write a signed checkpoint, and replace the one of the same size."""
        self._checkpoints.mkdir(parents=True, exist_ok=True)
        write_atomically(self._path(size), note)

    def follow(self, notes: Iterable[str]) -> None:
        """Write later checkpoints, unverified, in the order of signing; raises `BadSeals`.

        Checkpoints that they skip are deleted, because sealing was restarted. Sealing adds the hashes later.
        """
        for note in notes:
            try:
                checkpoint = Checkpoint.from_unverified_note(note)
            except BadCheckpoint as error:
                raise BadSeals(str(error)) from None
            for size, path in self._notes():
                if size > checkpoint.previous:
                    path.unlink()
            if self.hashed > checkpoint.previous and checkpoint.size != self.hashed:
                os.truncate(self._hashes, checkpoint.previous * HASH_BYTES)
            self.write_note(checkpoint.size, note)

    def replace(self, notes: Iterable[tuple[int, str]], hashes: Path) -> Path:
        """Replace all seals, and return the subfolder to which the former ones were moved.

        Args:
            hashes: a file in this folder, which is renamed to the file of hashes.
        """
        aside = self.folder / f"{_ASIDE}{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}"
        aside.mkdir()
        for path in (self._checkpoints, self._hashes):
            if path.exists():
                path.rename(aside / path.name)
        for size, note in notes:
            self.write_note(size, note)
        hashes.rename(self._hashes)
        to_disk(self.folder)
        return aside

    def append(self, hashes: Iterable[bytes]) -> None:
        """Append hashes after the last complete one."""
        start = self.hashed * HASH_BYTES
        with self._hashes.open("r+b" if self._hashes.exists() else "w+b") as file:
            file.seek(start)
            for one in hashes:
                file.write(one)
            file.truncate()
            file.flush()
            os.fsync(file.fileno())
        to_disk(self.folder)

    def _path(self, size: int) -> Path:
        return self._checkpoints / f"{size:019}.note"

    def _notes(self) -> list[tuple[int, Path]]:
        paths = self.note_files()
        for path in paths:
            if not (path.stem.isascii() and path.stem.isdecimal()):
                raise BadSeals(f"{path.name} is no checkpoint of ours")
        return [(int(path.stem), path) for path in paths]


def _read(path: Path, size: int, key: VerifyingKey) -> Checkpoint:
    try:
        checkpoint = Checkpoint.from_note(path.read_bytes().decode(), key)
    except UnicodeDecodeError:
        raise BadSeals("a checkpoint is no text", size) from None
    except BadCheckpoint as error:
        raise BadSeals(f"a checkpoint cannot be trusted ({error})", size) from None
    if path.name != f"{checkpoint.size:019}.note":
        raise BadSeals(f"a checkpoint's file bears the wrong name, {path.name}", checkpoint.size)
    return checkpoint


def write_atomically(path: Path, text: str) -> None:
    """Write a file atomically and durably."""
    unfinished = path.with_suffix(".new")
    with unfinished.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
    to_disk(path.parent)
