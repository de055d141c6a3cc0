"""The seals of a log, in a folder outside its database: the hash of every event, and signed checkpoints.

Without the hashes a checkpoint would tell that something has changed, but not what.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from ops.base.tamper_evidence.checkpoints import Checkpoint, SigningKey, VerifyingKey

HASH_BYTES: Final = 32
_LATEST: Final = "latest"


class SealedLog:
    """A folder with seals."""

    def __init__(self, folder: Path) -> None:
        """Look at a folder.

        Args:
            folder: where the seals are; made when the first one is written.
        """
        self.folder = folder
        self._hashes = folder / "hashes"
        self._checkpoints = folder / "checkpoints"

    def hashes(self, *, first: int = 0, last: int | None = None) -> list[bytes]:
        """Return the events' hashes, those of the positions after `first` up to `last`."""
        if not self._hashes.exists():
            return []
        with self._hashes.open("rb") as file:
            file.seek(first * HASH_BYTES)
            data = file.read() if last is None else file.read((last - first) * HASH_BYTES)
        whole = len(data) - len(data) % HASH_BYTES  # the last one may have been cut off by a crash
        return [data[start : start + HASH_BYTES] for start in range(0, whole, HASH_BYTES)]

    def checkpoints(self, key: VerifyingKey) -> Iterator[Checkpoint]:
        """Give the checkpoints, the smallest first.

        Raises:
            BadCheckpoint: one is not signed with the key.
        """
        for path in sorted(self._checkpoints.glob("*.note")):
            yield key.open(path.read_text("utf-8"))

    def latest_note(self) -> str | None:
        """Return the largest checkpoint as it was signed."""
        paths = sorted(self._checkpoints.glob("*.note"))
        return paths[-1].read_text("utf-8") if paths else None

    def seal(self, new_hashes: Sequence[bytes], checkpoint: Checkpoint, key: SigningKey) -> None:
        """Write the hashes of the events since the checkpoint before, and a signed checkpoint.

        Interrupted anywhere, it can be done again.

        Args:
            new_hashes: of the last events that the checkpoint covers.
            checkpoint: what to sign.
            key: what to sign with.
        """
        self._checkpoints.mkdir(parents=True, exist_ok=True)
        start = (checkpoint.size - len(new_hashes)) * HASH_BYTES
        with self._hashes.open("r+b" if self._hashes.exists() else "w+b") as file:
            file.seek(start)
            file.write(b"".join(new_hashes))
            file.truncate()
            _to_disk(file.fileno())
        path = self._checkpoints / f"{checkpoint.size:019}.note"
        unfinished = path.with_suffix(".new")
        with unfinished.open("w", encoding="utf-8") as file:
            file.write(key.sign(checkpoint))
            file.flush()
            _to_disk(file.fileno())
        unfinished.replace(path)
        _folder_to_disk(self._checkpoints)


def _to_disk(descriptor: int) -> None:
    os.fsync(descriptor)


def _folder_to_disk(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
