"""What goes through the whole log once: an export, and its verification."""

import contextlib
import hashlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, LiteralString

import psutil

from ops.development.benchmarks.instance import Instance
from ops.development.benchmarks.measuring import Row
from ops.development.benchmarks.samples import Summary

_MEGABYTE: Final = 1_000_000
_LOOK_SECONDS: Final = 0.05

# What an export is made of, as the database itself gives it.
_COPY_REVISIONS: Final = """
COPY (
  SELECT
    position, moment, entity, entity_id, version, type, actor_sub, actor_name, request_id,
    client_request_id, reason, changes
  FROM read.revisions ORDER BY position
) TO STDOUT (FORMAT csv)
"""
_COPY_LOG: Final = "COPY (SELECT * FROM log.events ORDER BY notification_id) TO STDOUT (FORMAT binary)"


@dataclass
class _Memory:
    """A process's memory while something goes on."""

    before: int
    peak: int


def measure_export(instance: Instance) -> Row:
    """Export everything as CSV, beside COPY of the same columns; both count events per second."""
    events = instance.events
    floor, _ = _copied(instance, _COPY_REVISIONS)
    with _watched(instance.process("query-api")) as memory:
        began = time.perf_counter()
        lines = sum(data.count(b"\n") for data in instance.read_all("/api/v1/audit?format=csv"))
        seconds = time.perf_counter() - began
    grown = (memory.peak - memory.before) / _MEGABYTE
    note = (
        f"{lines:,} lines, {lines / seconds:,.0f} a second;"
        f" the query API's memory was {memory.before / _MEGABYTE:.0f} MB and grew by {grown:.1f} MB at most"
    )
    subject, beside = Summary.at(events, seconds), Summary.at(events, floor)
    return Row.once("export-csv", subject, beside, "COPY of the same columns", note=note)


def measure_verification(instance: Instance) -> Row:
    """Verify the log, beside SHA-256 of its bytes as they come out of the database."""
    events = instance.events
    floor, size = _copied(instance, _COPY_LOG)
    seconds, printed = instance.run("audit", "verify")
    note = f"{size / _MEGABYTE:,.0f} MB; {printed.strip()}"
    subject, beside = Summary.at(events, seconds), Summary.at(events, floor)
    return Row.once("verify", subject, beside, "SHA-256 of the same bytes", note=note)


def _copied(instance: Instance, statement: LiteralString) -> tuple[float, int]:
    """Return the seconds that it takes to hash what a COPY gives, and how many bytes that are."""
    digest, size = hashlib.sha256(), 0
    began = time.perf_counter()
    for data in instance.copy(statement):
        digest.update(data)
        size += len(data)
    return time.perf_counter() - began, size


@contextlib.contextmanager
def _watched(process: psutil.Process) -> Iterator[_Memory]:
    memory = _Memory(before=process.memory_info().rss, peak=process.memory_info().rss)
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_LOOK_SECONDS):
            memory.peak = max(memory.peak, process.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield memory
    finally:
        ended.set()
        watcher.join()
