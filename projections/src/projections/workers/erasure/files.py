"""Searches the files of a folder for texts: `python -m projections.workers.erasure.files`.

Standard input has both as JSON, because other users can see a process's arguments. The output has only paths
and counts.
"""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

_AT_ONCE: Final = 4_000_000
_NICE: Final = 10


def search_files(folder: Path, texts: Sequence[bytes]) -> dict[str, Any]:
    """Count a folder's files, the unreadable ones, and the occurrences of texts in each file.

    Args:
        folder: searched recursively, without following links.
        texts: in lower case; the case of ASCII letters in the files does not matter.
    """
    files, unread, found = 0, 0, []
    for path in _files(folder):
        try:
            count = _count(path, texts)
        except FileNotFoundError:
            continue  # the database server deletes files at any time
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
            chunk = before + data.lower()
            # Occurrences that end in the overlap were counted before.
            count += sum(chunk.count(text, max(0, len(before) - len(text) + 1)) for text in texts)
            before = chunk[-overlap:] if overlap else b""
    return count


if __name__ == "__main__":
    os.nice(_NICE)
    wanted = json.load(sys.stdin)
    json.dump(search_files(Path(wanted["folder"]), [text.encode() for text in wanted["texts"]]), sys.stdout)
