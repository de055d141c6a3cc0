"""The audit file: contents, proof, masks, and the process that makes it."""

import csv
import io
import json
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

import httpx
import pytest
from fastapi import FastAPI
from projections_testing.encrypted_fleet import erase
from projections_testing.fleet import METADATA
from projections_testing.leases import eventually
from projections_testing.sealed_data import KEY, sealed, sealing
from query_api_testing.served import AUDIT, FollowedFleet, at, client_of, until

from ops.base.encryption.stores import KeyStore
from ops.base.settings import ServiceSettings
from ops.tamper_evidence.audit_files import check_audit_file
from ops.tamper_evidence.proof_checks import Proven
from ops.testing.http_servers import serve
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer
from query_api.app import build_app
from query_api.audit_file.processes import AuditFileProcesses

FILE: Final = f"{AUDIT}/file"


@pytest.fixture
async def past(
    encrypted_fleet: FollowedFleet, database: Database, tmp_path: Path
) -> AsyncIterator[FollowedFleet]:
    """A fleet that is sealed at each event, in encrypted form."""
    fleet = encrypted_fleet
    async with sealing(database.sealer, tmp_path / "seals", events=1):
        fleet.register("driver", "EMP-1")  # 1
        fleet.register("horse", "HRS-1")  # 2
        fleet.change("driver", "EMP-1", city="Pune", name="Ravi K.")  # 3
        fleet.register("driver", "EMP-2", city="Pune")  # 4
        fleet.change("horse", "HRS-1", hired="Yes")  # 5
        fleet.remove("driver", "EMP-1")  # 6
        await until_sealed(fleet, tmp_path)
        yield fleet


@pytest.fixture
def app(database: Database, settings_with: Callable[..., ServiceSettings]) -> FastAPI:
    return build_app(settings_with(database=database.query))


async def until_sealed(fleet: FollowedFleet, folder: Path) -> None:
    await eventually(lambda: sealed(folder / "seals") == fleet.position)


async def audit_file(client: httpx.AsyncClient, folder: Path, **parameters: str) -> tuple[Proven, ZipFile]:
    """Request an audit file, and return it with what the product's own check says."""
    answer = await client.get(FILE, params=parameters)
    assert answer.status_code == 200, answer.text
    path = folder / "file.zip"
    path.write_bytes(answer.content)
    return check_audit_file(path, KEY.verifying_key).proven, ZipFile(io.BytesIO(answer.content))


def listed(archive: ZipFile) -> list[int]:
    lines = archive.read("changes.ndjson").splitlines()
    positions = [json.loads(line)["position"] for line in lines]
    rows: list[dict[str, Any]] = [*csv.DictReader(io.StringIO(archive.read("changes.csv").decode()))]
    assert [*dict.fromkeys(int(row["position"]) for row in rows)] == positions
    return positions


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, ("all", [1, 2, 3, 4, 5, 6], 6)),
        ({"entity": "driver"}, ("type", [1, 3, 4, 6], 4)),
        ({"entity": "driver", "id": "EMP-1"}, ("stream", [1, 3, 6], 3)),
        ({"entity": "driver", "id": "EMP-9"}, ("stream", [], 0)),
        ({"from": at(3), "to": at(5)}, ("all", [3, 4], 2)),
        ({"from": at(3), "to": at(5), "entity": "driver"}, ("type", [3, 4], 2)),
        ({"from": at(5), "entity": "driver", "id": "EMP-1"}, ("stream", [6], 1)),
        ({"actor": "auth0|nobody"}, ("all", [], 6)),
    ],
)
async def test_file_of_each_scope_is_proven(
    client: httpx.AsyncClient,
    past: FollowedFleet,
    tmp_path: Path,
    parameters: dict[str, str],
    expected: tuple[str, list[int], int],
) -> None:
    proven, archive = await audit_file(client, tmp_path, **parameters)
    assert (proven.scope.kind, listed(archive), proven.events) == expected


async def test_personal_data_is_masked_unless_it_is_revealed(
    client: httpx.AsyncClient, past: FollowedFleet, tmp_path: Path
) -> None:
    texts = {}
    for reveal in ("false", "true"):
        _, archive = await audit_file(client, tmp_path, reveal=reveal)
        texts[reveal] = b"".join(map(archive.read, archive.namelist())).decode()
    assert texts["false"].count(METADATA.actor.name) == 2  # both texts for people name the requester
    for personal in ("Ravi", "Pune", "telephone"):
        assert personal not in texts["false"]
        assert personal in texts["true"]
    (entry,) = (await client.get("/api/v1/access-log")).json()["content"]
    assert (entry["action"], entry["details"]) == (
        "audit-export-revealed",
        {"format": "zip", "filter": {}},
    )


async def test_user_without_personal_data_gets_marks(
    masked_client: httpx.AsyncClient, past: FollowedFleet, tmp_path: Path
) -> None:
    _, archive = await audit_file(masked_client, tmp_path)
    assert "Ravi" not in b"".join(map(archive.read, archive.namelist())).decode()
    assert (await masked_client.get(FILE, params={"reveal": "true"})).status_code == 403


async def test_unencrypted_events_are_not_shown_masked(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database, tmp_path: Path
) -> None:
    fleet.register("driver", "EMP-1")
    fleet.register("horse", "HRS-1")
    async with sealing(database.sealer, tmp_path / "seals", events=1):
        await until_sealed(fleet, tmp_path)
        refused = await client.get(FILE)
        assert refused.status_code == 409
        assert refused.json()["type"] == "urn:fleetlog:problem:unencrypted-history"
        proven, _ = await audit_file(client, tmp_path, reveal="true")
        assert proven.events == 2


async def test_request_before_the_first_seal_or_without_a_sealer_is_refused(
    client: httpx.AsyncClient, encrypted_fleet: FollowedFleet, database: Database, tmp_path: Path
) -> None:
    encrypted_fleet.register("driver", "EMP-1")
    refused = await client.get(FILE)
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "60")
    async with sealing(database.sealer, tmp_path / "seals", events=2):
        await until(client, FILE, lambda answer: answer.status_code == 409)
        encrypted_fleet.register("driver", "EMP-2")
        encrypted_fleet.register("driver", "EMP-3")
        await eventually(lambda: sealed(tmp_path / "seals") == 2)
        answer = await client.head(FILE)
        assert [answer.headers[f"fleetlog-{name}"] for name in ("events", "not-covered")] == ["2", "1"]
        proven, archive = await audit_file(client, tmp_path)
        assert (proven.events, listed(archive)) == (2, [1, 2])
        assert b"1 newer events" in archive.read("README.txt")


async def test_no_value_is_markup_or_a_formula(
    client: httpx.AsyncClient, past: FollowedFleet, tmp_path: Path
) -> None:
    past.register("horse", "HRS-2", owner="=1+1", description="<script>alert(1)</script>")
    await until_sealed(past, tmp_path)
    _, archive = await audit_file(client, tmp_path, reveal="true", entity="horse", id="HRS-2")
    page = archive.read("statement.html").decode()
    assert "<td>Horse HRS-2</td>" in page
    assert f"<td>{METADATA.actor.sub}<br>{METADATA.actor.name}</td>" in page
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    for row in csv.reader(io.StringIO(archive.read("changes.csv").decode())):
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)


async def test_id_needs_its_type(client: httpx.AsyncClient, past: FollowedFleet) -> None:
    answer = await client.get(FILE, params={"id": "EMP-1"})
    assert answer.status_code == 422
    assert answer.json()["validation_errors"][0]["field"] == "id"


@pytest.fixture
async def auditor(origin: str, issuer: TokenIssuer, past: FollowedFleet) -> AsyncIterator[httpx.AsyncClient]:
    """A client that may not see restricted data."""
    permissions = ["audit:read", "audit:reveal", "personal:read"]
    async with client_of(origin, issuer, past, permissions=permissions) as client:
        yield client


async def test_restricted_and_erased_people_are_not_shown(
    auditor: httpx.AsyncClient, past: FollowedFleet, store: KeyStore, tmp_path: Path
) -> None:
    past.restrict("driver", "EMP-2")
    past.register("driver", "EMP-3", name="Erased Person")
    past.restrict("driver", "EMP-3")
    past.erase("driver", "EMP-3")
    await until_sealed(past, tmp_path)
    await erase(store, past, "driver:EMP-3")
    _, archive = await audit_file(auditor, tmp_path, entity="driver", reveal="true")
    rows = [*csv.DictReader(io.StringIO(archive.read("changes.csv").decode()))]
    shown = {(row["id"], row["to"]) for row in rows if row["field"] == "city"}
    assert ("EMP-1", '"Pune"') in shown
    assert {to for entity_id, to in shown if entity_id == "EMP-2"} == {"[masked]"}
    assert {to for entity_id, to in shown if entity_id == "EMP-3"} == {"[erased]"}
    assert "Erased Person" not in b"".join(map(archive.read, archive.namelist())).decode()


async def test_merge_names_both_records(
    client: httpx.AsyncClient, past: FollowedFleet, tmp_path: Path
) -> None:
    past.register("driver", "EMP-3")
    survivor, other = past.aggregate("driver", "EMP-2"), past.aggregate("driver", "EMP-3")
    for event in survivor.merge({}, other, METADATA):
        past.append(event)
    await until_sealed(past, tmp_path)
    proven, archive = await audit_file(client, tmp_path, entity="driver", id="EMP-3")
    assert proven.events == 2
    assert b"driver.merged_into, version 2, EMP-2" in archive.read("statement.html")


def processes_of(app: FastAPI) -> set[Process]:
    processes: AuditFileProcesses = app.state.audit_files
    return processes._running


async def test_process_ends_with_its_request(
    app: FastAPI, issuer: TokenIssuer, past: FollowedFleet, tmp_path: Path
) -> None:
    async with serve(app) as origin, client_of(origin, issuer, past) as client:
        await past.catch_up()
        for ending in ("disconnect", "kill", "erasure"):
            with blocked_signatures(past), suppress(httpx.RemoteProtocolError):
                async with client.stream("GET", FILE) as answer:
                    (process,) = processes_of(app)
                    if ending == "kill":
                        process.send_signal(signal.SIGKILL)
                    elif ending == "erasure":
                        app.state.purge.clear()
                    if ending != "disconnect":
                        await answer.aread()
                        raise AssertionError(ending)
            await eventually(lambda: not processes_of(app))
            assert await process.wait() == -signal.SIGKILL


async def test_two_files_are_made_at_once(
    app: FastAPI, issuer: TokenIssuer, past: FollowedFleet, tmp_path: Path
) -> None:
    async with serve(app) as origin, client_of(origin, issuer, past) as client:
        await past.catch_up()
        with blocked_signatures(past):
            async with client.stream("GET", FILE) as one, client.stream("GET", FILE) as two:
                refused = await client.get(FILE)
                assert (one.status_code, two.status_code, refused.status_code) == (200, 200, 429)
                assert refused.headers["retry-after"] == "10"
                assert (await client.head(FILE)).status_code == 200
        await eventually(lambda: not processes_of(app))
        assert (await client.get(FILE)).status_code == 200


@contextmanager
def blocked_signatures(fleet: FollowedFleet) -> Iterator[None]:
    """Let no manifest be signed, so that no file is complete."""
    with fleet.connection.transaction():
        fleet.connection.execute("LOCK audit.signatures IN EXCLUSIVE MODE")
        yield
