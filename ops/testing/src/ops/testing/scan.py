"""Searching files and the memory of processes for texts, byte by byte."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_PORTION: Final = 16 * 1024 * 1024


def places_with(texts: Collection[str], *folders: Path) -> dict[str, int]:
    """Return the number of matches in each file below folders that contains any of some texts.

    Args:
        texts: ASCII, in lower case; the search ignores case.
        folders: searched recursively.
    """
    wanted, longest = [text.encode("ascii") for text in texts], max(map(len, texts))
    found = Counter[str]()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink():
                for portion in _portions(path, longest):
                    found[str(path)] += sum(map(portion.lower().count, wanted))
    return {place: count for place, count in found.items() if count}


def _portions(path: Path, overlap: int) -> Iterator[bytes]:
    """Yield a file's bytes in overlapping portions; nothing if the file has been removed."""
    try:
        with path.open("rb") as file:
            rest = b""
            while read := file.read(_PORTION):
                yield rest + read
                rest = read[-overlap:]
    except FileNotFoundError:
        return


_MAPPED: Final = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw.([ps]) \S+ (\S+ \d+)")


def processes_with(texts: Collection[str], pids: Iterable[int]) -> dict[int, int]:
    """Return the number of matches in the memory of each process that contains any of some texts.

    Only writable memory is read; shared memory, such as that of PostgreSQL's processes, is read once. Linux
    alone makes it readable. Processes that have ended are skipped.
    """
    wanted = [text.encode("ascii") for text in texts]
    found, shared = Counter[int](), set[str]()
    for pid in pids:
        with suppress(FileNotFoundError, ProcessLookupError):
            for memory in _memory(pid, shared):
                found[pid] += sum(map(memory.lower().count, wanted))
    return {pid: count for pid, count in found.items() if count}


def _memory(pid: int, shared: set[str]) -> Iterator[bytes]:
    process = Path("/proc", str(pid))
    with (process / "mem").open("rb", buffering=0) as memory:
        for line in (process / "maps").read_text().splitlines():
            if mapped := _MAPPED.match(line):
                begin, end = (int(place, 16) for place in mapped.groups()[:2])
                if mapped[3] == "s":
                    if mapped[4] in shared:
                        continue
                    shared.add(mapped[4])
                with suppress(OSError, OverflowError, ValueError):  # the kernel's mappings
                    memory.seek(begin)
                    yield memory.read(end - begin)
