"""Where texts are in files and in the memory of processes, byte by byte."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_PORTION: Final = 16 * 1024 * 1024


def places_with(texts: Collection[str], *folders: Path) -> dict[str, int]:
    """Return how often any of some texts is in each file below folders, where it is at all.

    Args:
        texts: ASCII, in lower case; they are found however they are capitalised.
        folders: where to look.
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
    """Yield a file's bytes, those at the seams twice; nothing of one that is gone."""
    try:
        with path.open("rb") as file:
            kept = b""
            while read := file.read(_PORTION):
                yield kept + read
                kept = read[-overlap:]
    except FileNotFoundError:
        return


_MAPPED: Final = re.compile(r"([0-9a-f]+)-([0-9a-f]+) r")


def processes_with(texts: Collection[str], pids: Iterable[int]) -> dict[int, int]:
    """Return how often any of some texts is in the memory of each process, where it is at all.

    It is what a core dump would have; only Linux tells it.

    Args:
        texts: see `places_with`.
        pids: of the processes; those that are gone have nothing.
    """
    wanted = [text.encode("ascii") for text in texts]
    found = Counter[int]()
    for pid in pids:
        with suppress(FileNotFoundError, ProcessLookupError):
            for memory in _memory(pid):
                found[pid] += sum(map(memory.lower().count, wanted))
    return {pid: count for pid, count in found.items() if count}


def _memory(pid: int) -> Iterator[bytes]:
    process = Path("/proc", str(pid))
    with (process / "mem").open("rb", buffering=0) as memory:
        for line in (process / "maps").read_text().splitlines():
            if mapped := _MAPPED.match(line):
                begin, end = (int(place, 16) for place in mapped.groups())
                with suppress(OSError, OverflowError, ValueError):  # the kernel's own
                    memory.seek(begin)
                    yield memory.read(end - begin)
