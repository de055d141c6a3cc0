"""An audit file of many events: time, memory, size, and what other requests notice."""

import asyncio
import json
import statistics
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final

import httpx
import pytest
from fastapi import FastAPI
from projections_testing.fleet import BEGIN
from projections_testing.leases import eventually
from projections_testing.sealed_data import KEY, sealed, sealing
from query_api_testing.served import AUDIT, FollowedFleet, client_of

from ops.base.encryption.keys import Key
from ops.base.encryption.states import decrypt_state, encrypt_state, plaintext_part
from ops.base.encryption.stores import KeyStore
from ops.base.settings import ServiceSettings
from ops.tamper_evidence.audit_files import check_audit_file
from ops.testing.http_servers import serve
from ops.testing.postgres import Database
from ops.testing.soak import soak_count
from ops.testing.token_issuer import TokenIssuer
from query_api.app import build_app
from query_api.audit_file.processes import AuditFileProcesses
from read_model.tables.revision_texts import RevisionTexts

FILE: Final = f"{AUDIT}/file"
DRIVERS: Final = 30
MOST_MIB: Final = 300
_EVENT_COLUMNS: Final = "notification_id, originator_id, originator_version, topic, state, moment"
_COPIED: Final = (
    "entity, type, actor_sub, request_id, changes::text, state::text, public_event::text, personal::text"
)


async def fill(fleet: FollowedFleet, store: KeyStore, events: int) -> None:
    """Change drivers in turns, encrypted, as command API and projections store it."""
    streams = [f"driver:EMP-{number}" for number in range(DRIVERS)]
    for stream in streams:
        fleet.register("driver", stream.partition(":")[2])
        fleet.change("driver", stream.partition(":")[2], city="Pune", name="Ravi K.", notes="x" * 80)
    await fleet.catch_up()
    keys = await store.fetch(fleet.key_ids.values())
    of_stream = {stream: key for stream, key_id in fleet.key_ids.items() if (key := keys[key_id])}
    first = fleet.position
    topic, state = fleet.connection.execute(
        "SELECT topic, state FROM log.events WHERE originator_id = %s AND originator_version = 2",
        (streams[0],),
    ).fetchone() or ("", b"")
    public = plaintext_part(state)
    members = json.loads(public)
    del members["sealed"], members["key"]
    plain = json.dumps(members, separators=(",", ":")).encode()
    plaintext = decrypt_state(state, streams[0], 2, of_stream[streams[0]])
    row = fleet.connection.execute(
        f"SELECT {_COPIED}, ciphertext FROM read.revisions WHERE entity_id = 'EMP-0' AND version = 2"  # noqa: S608
    ).fetchone()
    assert row is not None
    *copied, ciphertext = row
    texts = RevisionTexts.opened(of_stream[streams[0]], streams[0], 2, ciphertext)

    def rows() -> Iterator[tuple[int, str, int, Key]]:
        for number in range(events - first):
            stream = streams[number % DRIVERS]
            yield first + number + 1, stream, 3 + number // DRIVERS, of_stream[stream]

    with fleet.connection.cursor() as cursor:
        with cursor.copy(f"COPY log.events ({_EVENT_COLUMNS}) FROM STDIN") as copying:
            for position, stream, version, key in rows():
                moment = BEGIN + timedelta(seconds=position)
                copying.write_row(
                    (
                        position,
                        stream,
                        version,
                        topic,
                        encrypt_state(plain, plaintext, stream, version, key),
                        moment,
                    )
                )
        names = _COPIED.replace("::text", "")
        with cursor.copy(
            f"COPY read.revisions (position, entity_id, version, moment, key_id, {names}, ciphertext,"
            " actor_is_program) FROM STDIN"
        ) as copying:
            for position, stream, version, key in rows():
                moment, sealed_texts = BEGIN + timedelta(seconds=position), texts.sealed(key, stream, version)
                own = (position, stream.partition(":")[2], version, moment, key.id)
                copying.write_row((*own, *copied, sealed_texts, False))
        cursor.execute("UPDATE read.positions SET position = %s", (events,))
        cursor.execute("VACUUM ANALYZE log.events, read.revisions")
    fleet.position = events


async def latencies(client: httpx.AsyncClient, done: Callable[[], bool], least: int) -> list[float]:
    """Read a record until something is done, and return the durations in milliseconds, sorted."""
    found: list[float] = []
    while len(found) < least or not done():
        began = time.perf_counter()
        (await client.get("/api/v1/drivers/EMP-1/history?order=desc&limit=20")).raise_for_status()
        found.append(1000 * (time.perf_counter() - began))
        await asyncio.sleep(0.01)
    return sorted(found)


def peak_mib(processes: AuditFileProcesses) -> float:
    """Return the peak memory of the running processes, without their workers."""
    peaks = [0.0]
    for one in processes._running:
        with suppress(FileNotFoundError, ValueError, IndexError):
            status = Path(f"/proc/{one.pid}/status").read_text()
            peaks.append(int(status.partition("VmHWM:")[2].split()[0]) / 1024)
    return max(peaks)


def ended(app: FastAPI, process: Process, peaks: list[float]) -> bool:
    """Note the memory, and return whether the download has ended."""
    peaks.append(peak_mib(app.state.audit_files))
    return process.returncode is not None


async def download(client: httpx.AsyncClient, path: Path, reveal: str) -> Process:
    """Begin to download a file with another process, so that this one only serves and measures."""
    return await asyncio.create_subprocess_exec(
        *("curl", "-sf", "-o", str(path), "-H", f"Authorization: {client.headers['authorization']}"),
        f"{client.base_url}{FILE}?reveal={reveal}",
    )


@pytest.fixture
def app(database: Database, settings_with: Callable[..., ServiceSettings]) -> FastAPI:
    return build_app(settings_with(database=database.query))


@pytest.fixture
async def long_log(
    encrypted_fleet: FollowedFleet, database: Database, store: KeyStore, tmp_path: Path
) -> AsyncIterator[FollowedFleet]:
    """A fleet with many events, which are sealed."""
    events = soak_count(1_000_000)
    await fill(encrypted_fleet, store, events)
    async with sealing(database.sealer, tmp_path / "seals", events=events // 10):
        await eventually(lambda: sealed(tmp_path / "seals") == events, seconds=900)
        yield encrypted_fleet


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_audit_file_of_a_million_events(
    long_log: FollowedFleet, app: FastAPI, issuer: TokenIssuer, tmp_path: Path
) -> None:
    async with serve(app) as origin, client_of(origin, issuer, long_log) as client:
        before = await latencies(client, lambda: True, 200)
        print(f"\n{long_log.position} events; reads without a file: p50/p99 {quantiles(before)} ms")
        for reveal, is_read_meanwhile in (("false", False), ("false", True), ("true", False)):
            head = await client.head(FILE, params={"reveal": reveal})
            path, began, peaks = tmp_path / f"{reveal}.zip", time.monotonic(), [0.0]
            process = await download(client, path, reveal)
            is_done = partial(ended, app, process, peaks)
            durations = await latencies(client, is_done, 1) if is_read_meanwhile else before
            await eventually(is_done, seconds=900)
            seconds = time.monotonic() - began
            assert process.returncode == 0
            began = time.monotonic()
            checked = await asyncio.to_thread(check_audit_file, path, KEY.verifying_key)
            assert checked.proven.events == long_log.position
            print(
                f"reveal={reveal}: {seconds:.1f} s, {path.stat().st_size / 1e6:.1f} MB, expected"
                f" {int(head.headers['fleetlog-expected-bytes']) / 1e6:.1f} MB, peak {max(peaks):.0f} MiB,"
                f" reads p50/p99 {quantiles(durations) if is_read_meanwhile else 'none'} ms,"
                f" check {time.monotonic() - began:.1f} s"
            )
            assert max(peaks) < MOST_MIB


def quantiles(durations: list[float]) -> tuple[float, float]:
    """Return p50 and p99."""
    return round(statistics.median(durations), 1), round(durations[int(0.99 * (len(durations) - 1))], 1)
