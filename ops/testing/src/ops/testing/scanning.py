"""Where texts are in files, byte by byte."""

from collections import Counter
from collections.abc import Collection, Iterator
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
