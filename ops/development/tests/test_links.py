"""Whatever a page of ours leads to is there: files, folders, and sections by their headings."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import pytest

from ops.launcher.paths import PROJECT

NOT_OURS: Final = {"node_modules", "dist", "test-results"}
"""In addition to folders whose names begin with a dot."""
BLOCK: Final = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
LINK: Final = re.compile(r"\]\(([^)\s]+)\)")
HEADING: Final = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)


def pages(folder: Path = PROJECT) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in set(folders) - NOT_OURS if not name.startswith("."))
        yield from (Path(root, name) for name in sorted(files) if name.endswith(".md"))


def prose(page: Path) -> str:
    return BLOCK.sub("", page.read_text())


def anchors(page: Path) -> set[str]:
    """The sections of a page, as addresses name them: in small letters, blanks as hyphens, no punctuation."""
    headings = (re.sub(r"\]\([^)]*\)", "", heading).lower() for heading in HEADING.findall(prose(page)))
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in headings}


def leads_nowhere(page: Path, link: str) -> bool:
    path, _, anchor = unquote(link).partition("#")
    target = page.parent / path if path else page
    return not target.exists() or (bool(anchor) and anchor not in anchors(target))


@pytest.mark.parametrize("page", [*pages()], ids=lambda page: str(page.relative_to(PROJECT)))
def test_links_have_existing_targets(page: Path) -> None:
    links = [link for link in LINK.findall(prose(page)) if "://" not in link]
    assert [link for link in links if leads_nowhere(page, link)] == []


def test_all_pages_are_linked_from_the_first_page() -> None:
    found, left = set[Path](), [PROJECT / "README.md"]
    while left:
        page = left.pop()
        if page in found or page.suffix != ".md" or not page.exists():
            continue
        found.add(page)
        links = (unquote(link).partition("#")[0] for link in LINK.findall(prose(page)) if "://" not in link)
        left += [(page.parent / link).resolve() for link in links if link]
    assert {page for page in pages() if page not in found} == set()
