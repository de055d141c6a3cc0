"""Searches a folder's files for texts: `python -m projections.workers.erasure.files`, both as its input.

Texts come as input, for others can see a process's words; only places and counts come out.
"""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

_AT_ONCE: Final = 4_000_000
_NICE: Final = 10


def look_through(folder: Path, texts: Sequence[bytes]) -> dict[str, Any]:
    """Return how many files there are, how many of them cannot be read, and which have a text how often.

    Args:
        folder: with all folders in it; links are not followed.
        texts: what to look for, in lower case; they are found however their ASCII letters are capitalised.
    """
    files, unread, found = 0, 0, []
    for path in _files(folder):
        try:
            count = _count(path, texts)
        except FileNotFoundError:
            continue  # the server drops some all the time
        except OSError:
            unread += 1
            continue
        files += 1
        if count:
            found.append({"place": str(path.relative_to(folder)), "count": count})
    return {"files": files, "unread": unread, "found": found}


def _files(folder: Path) -> Iterator[Path]:
    for place, _, names in os.walk(folder):
        for name in sorted(names):
            path = Path(place, name)
            if path.is_file() and not path.is_symlink():
                yield path


def _count(path: Path, texts: Sequence[bytes]) -> int:
    overlap = max(map(len, texts), default=1) - 1
    count, before = 0, b""
    with path.open("rb") as file:
        while data := file.read(_AT_ONCE):
            whole = before + data.lower()
            count += sum(_count_in(whole, text, after=len(before)) for text in texts)
            before = whole[-overlap:] if overlap else b""
    return count


def _count_in(data: bytes, text: bytes, *, after: int) -> int:
    """Return how often a text is there, but for where it ends among the first bytes: there it was counted."""
    count, at = 0, data.find(text, max(0, after - len(text) + 1))
    while at >= 0:
        count, at = count + 1, data.find(text, at + len(text))
    return count


if __name__ == "__main__":
    os.nice(_NICE)
    wanted = json.load(sys.stdin)
    json.dump(look_through(Path(wanted["folder"]), [text.encode() for text in wanted["texts"]]), sys.stdout)
