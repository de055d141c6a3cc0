"""Taking the events away as a file."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Final

from ops.launcher.errors import LauncherError
from ops.launcher.events.source import Away, Source, Wanted
from ops.launcher.events.table import Table

FORMATS: Final = ("ndjson", "csv")
_MEDIA_TYPE: Final = "application/x-ndjson"
_ATTEMPTS: Final = 5
"""In a row, without an event in between."""
_PAUSE: Final = 1.0
_SHOWN_EVERY: Final = 0.2


def export(source: Source, wanted: Wanted, form: str, path: Path | None) -> int:
    """Write all events up to the head to a file, or to standard output.

    A file gets its name when it is whole; until then, and if it never is, its name ends with `.part`.

    Returns:
        How many there were.

    Raises:
        LauncherError: the feed refuses, or is away for too long.
        OSError: the file cannot be written.
    """
    if path is None:
        count = _write(source, wanted, form, sys.stdout)
        sys.stdout.flush()
        return count
    if path.is_dir():
        raise LauncherError(f"{path} is a folder")
    unfinished = path.with_name(f"{path.name}.part")
    with unfinished.open("w", encoding="utf-8", newline="") as out:
        count = _write(source, wanted, form, out)
        out.flush()
        os.fsync(out.fileno())
    unfinished.replace(path)
    return count


def _write(source: Source, wanted: Wanted, form: str, out: IO[str]) -> int:
    write: Callable[[str], object]
    write = Table(out).write if form == "csv" else lambda line: out.write(f"{line}\n")
    count = 0
    with _progress() as tell:
        for line in lines_to_head(source, wanted):
            write(line)
            count += 1
            tell(count)
    return count


def lines_to_head(source: Source, wanted: Wanted) -> Iterator[str]:
    """Give all events up to the head, each as a line of JSON; go on where an answer was cut short.

    Raises:
        LauncherError: the feed refuses, or is away for too long.
    """
    reached, attempts = wanted.after, 0
    while True:
        last = ""
        try:
            with source.stream(replace(wanted, after=reached), _MEDIA_TYPE) as lines:
                for line in lines:
                    if line:
                        last, attempts = line, 0
                        yield line
        except Away as error:
            attempts += 1
            if attempts == _ATTEMPTS:
                raise LauncherError(f"{source.address}: {error}") from None
        else:
            return
        if last:
            reached = json.loads(last)["id"]
        time.sleep(_PAUSE)


@contextmanager
def _progress() -> Iterator[Callable[[int], None]]:
    if not sys.stderr.isatty():
        yield lambda count: None  # noqa: ARG005
        return
    output = time.monotonic()

    def tell(count: int) -> None:
        nonlocal output
        if time.monotonic() - output > _SHOWN_EVERY:
            output = time.monotonic()
            print(f"\r{count:,} events", end="", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
