"""What goes through the whole log once: an export, and its verification."""

import contextlib
import hashlib
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import httpx
import psutil
import psycopg

from ops.launcher.benchmarks.instance import Instance
from ops.launcher.benchmarks.measuring import Row
from ops.launcher.benchmarks.samples import Summary
from ops.launcher.errors import LauncherError

_MEGABYTE: Final = 1_000_000
_PATIENCE_SECONDS: Final = 60.0
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
    events = _count(instance)
    floor, _ = _copied(instance, _COPY_REVISIONS)
    target = f"http://127.0.0.1:{instance.port('query-api')}/api/v1/audit?format=csv"
    headers = {"Authorization": f"Bearer {instance.token()}"}
    lines = 0
    with _watched(instance.pid("query-api")) as memory:
        began = time.perf_counter()
        with httpx.stream(
            "GET", target, headers=headers, timeout=_PATIENCE_SECONDS, trust_env=False
        ) as answer:
            if not answer.is_success:
                raise LauncherError(f"the export was answered {answer.status_code}")
            for data in answer.iter_raw():
                lines += data.count(b"\n")
        seconds = time.perf_counter() - began
    grown = (memory.peak - memory.before) / _MEGABYTE
    note = (
        f"{lines:,} lines, {lines / seconds:,.0f} a second;"
        f" the query API's memory was {memory.before / _MEGABYTE:.0f} MB and grew by {grown:.1f} MB at most"
    )
    return _row(
        "export-csv",
        events,
        seconds=seconds,
        floor_seconds=floor,
        floor_name="COPY of the same columns",
        note=note,
    )


def measure_verification(instance: Instance, events: int) -> Row:
    """Verify the log, beside SHA-256 of its bytes as they come out of the database."""
    floor, size = _copied(instance, _COPY_LOG)
    began = time.perf_counter()
    done = subprocess.run(instance.command("audit", "verify"), capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - began
    if done.returncode != 0:
        raise LauncherError(f"the verification failed:\n{done.stdout}{done.stderr}")
    note = f"{size / _MEGABYTE:,.0f} MB; {done.stdout.strip()}"
    return _row(
        "verify",
        events,
        seconds=seconds,
        floor_seconds=floor,
        floor_name="SHA-256 of the same bytes",
        note=note,
    )


def _copied(instance: Instance, statement: str) -> tuple[float, int]:
    """Return the seconds that it takes to hash what a COPY gives, and how many bytes that are."""
    digest, size = hashlib.sha256(), 0
    began = time.perf_counter()
    with (
        psycopg.connect(instance.owner_dsn) as connection,
        connection.cursor() as cursor,
        cursor.copy(statement) as copy,
    ):
        for data in copy:
            digest.update(data)
            size += len(data)
    return time.perf_counter() - began, size


def _count(instance: Instance) -> int:
    with psycopg.connect(instance.owner_dsn) as connection:
        ((count,),) = connection.execute("SELECT position FROM log.head").fetchall()
        return int(count)


@contextlib.contextmanager
def _watched(pid: int) -> Iterator[_Memory]:
    process = psutil.Process(pid)
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


def _row(name: str, events: int, *, seconds: float, floor_seconds: float, floor_name: str, note: str) -> Row:
    subject, floor = (
        Summary(rate=events / taken, p50=None, p99=None, answers=events, errors=0, missed=0)
        for taken in (seconds, floor_seconds)
    )
    return Row(
        name=name,
        connections=1,
        subject=subject,
        floor=floor,
        floor_name=floor_name,
        ratio=subject.rate / floor.rate,
        aim="",
        met=None,
        note=note,
    )
