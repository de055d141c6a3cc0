"""The write-ahead log's files, as their names tell what is in them."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

PARTIAL: Final = ".partial"
"""What the name of a segment ends with that is still being streamed."""
_SEGMENT: Final = re.compile(r"[0-9A-F]{8}([0-9A-F]{8})000000([0-9A-F]{2})(\.partial)?")
_PER_FILE: Final = 256
_START: Final = re.compile(r"^START WAL LOCATION: .* \(file ([0-9A-F]{24})\)$", re.MULTILINE)


def number_of(path: Path) -> int | None:
    """Return a segment's place in the log, whatever its timeline; None: the file is no segment.

    Segments have 16 MB, as servers have that were made by us.
    """
    match = _SEGMENT.fullmatch(path.name)
    return int(match[1], 16) * _PER_FILE + int(match[2], 16) if match else None


def first_of(cluster: Path) -> int:
    """Return the first segment that the copy of a cluster needs.

    Raises:
        OSError: it is no such copy.
    """
    match = _START.search((cluster / "backup_label").read_text("utf-8"))
    number = number_of(Path(match[1])) if match else None
    return number or 0


def numbers_in(folders: Iterable[Path]) -> list[int]:
    """Return which segments there are in some folders, in order."""
    paths = (path for folder in folders for path in folder.glob("*"))
    return sorted({number for path in paths if (number := number_of(path)) is not None})


def has_gap(numbers: list[int], *, first: int) -> bool:
    """Whether a segment is missing between the first that is needed and the last that there is."""
    wanted = [number for number in numbers if number >= first]
    return wanted != list(range(first, first + len(wanted)))
