"""A ZIP that is written to a stream, with the hash of each entry."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from typing import IO, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo
from zlib import DEFLATED, MAX_WBITS

from isal import isal_zlib

_LEVEL: Final = 1
_AT_ONCE: Final = 256 * 1024
"""Bytes that are compressed at once."""


class Archive:
    """A ZIP with deflated entries, compressed in a thread while the next data is made.

    Attributes:
        hashes: SHA-256 in hex, by name of each complete entry.
    """

    def __init__(self, file: IO[bytes], moment: datetime) -> None:
        """Begin a ZIP whose entries have the time `moment`."""
        self.hashes: dict[str, str] = {}
        self._zip = ZipFile(file, "w", ZIP_DEFLATED)
        self._moment = moment
        self._thread = ThreadPoolExecutor(1)

    @contextmanager
    def entry(self, name: str) -> Iterator[Callable[[bytes], None]]:
        """Add an entry, written with the function."""
        info = ZipInfo(name, self._moment.timetuple()[:6])
        info.compress_type = ZIP_DEFLATED
        info.external_attr = 0o644 << 16
        digest, held, pending = sha256(), bytearray(), Future[None]()
        pending.set_result(None)

        def compress(data: bytes) -> None:
            digest.update(data)
            entry.write(data)

        def write(data: bytes) -> None:
            nonlocal pending
            held.extend(data)
            if len(held) >= _AT_ONCE:
                pending.result()
                pending = self._thread.submit(compress, bytes(held))
                held.clear()

        with self._zip.open(info, "w", force_zip64=True) as entry:
            # Seven times as fast as zlib for base64; if a Python ignores the attribute, the file is slower.
            entry._compressor = isal_zlib.compressobj(_LEVEL, DEFLATED, -MAX_WBITS)  # type: ignore[attr-defined]  # noqa: SLF001
            yield write
            pending.result()
            compress(bytes(held))
        self.hashes[name] = digest.hexdigest()

    def add(self, name: str, content: bytes) -> None:
        """Add a complete entry."""
        with self.entry(name) as write:
            write(content)

    def close(self) -> None:
        """Write the directory."""
        self._zip.close()
        self._thread.shutdown()
