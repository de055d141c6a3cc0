"""Authorities stamp checkpoints, and `verify` checks the stamps; an absent authority delays nothing."""

import asyncio
from pathlib import Path

import pytest
from projections_testing.fleet import Fleet, register
from projections_testing.leases import eventually
from projections_testing.sealed_data import Capture, seal, sealed, sealing, verified

from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.time_stamps import read_authorities
from ops.testing.postgres import Database
from ops.testing.time_stamp_authority import TimeStampAuthority, needs_openssl, time_stamp_authority
from projections.failures import ProjectionStopped
from projections.workers.sealing import time_stamper
from projections.workers.sealing.settings import require_authorities
from projections.workers.verification.verification import Scope

pytestmark = needs_openssl
SWAP = """
UPDATE audit.time_stamps AS one SET response = other.response FROM audit.time_stamps AS other
WHERE one.checkpoint <> other.checkpoint
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "seals"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_stamper, "_POLL_SECONDS", 0.1)


def scope_of(authority: TimeStampAuthority) -> Scope:
    return Scope(authorities=read_authorities(authority.certificate), log_only=True)


def positions(fleet: Fleet) -> list[int]:
    statement = "SELECT size FROM audit.time_stamps JOIN audit.checkpoints ON number = checkpoint ORDER BY 1"
    return [size for (size,) in fleet.connection.execute(statement)]


async def test_checkpoints_are_stamped_once_an_hour_and_stamps_verified(
    fleet: Fleet, database: Database, folder: Path, capsys: Capture, tmp_path: Path
) -> None:
    register(fleet, 1, 5)
    await seal(database.sealer, folder, every=5, up_to=5)
    with time_stamp_authority(tmp_path / "authority") as authority:
        scope = scope_of(authority)
        async with sealing(
            database.sealer, folder, authorities=[authority.address], trusted=scope.authorities
        ) as (sealer,):
            await eventually(lambda: positions(fleet) == [5])
            register(fleet, 6, 10)
            await eventually(lambda: sealed(folder) == 10)
            assert (
                "1 time stamps match, the last of 20" in (await verified(database, folder, capsys, scope))[1]
            )
            assert positions(fleet) == [5]
            fleet.connection.execute("UPDATE audit.checkpoints SET recorded = recorded - interval '1 hour'")
            await eventually(lambda: positions(fleet) == [5, 10])
            assert sealer.readiness().detail["time_stamp_authorities"] == {authority.address: "answers"}
    status, reported = await verified(database, folder, capsys, scope)
    assert (status, "2 time stamps match, the last of 20" in reported) == (0, True)
    unverified = await verified(database, folder, capsys)
    assert (unverified[0], "2 time stamps were not verified" in unverified[1]) == (0, True)
    with time_stamp_authority(tmp_path / "other") as other:
        status, reported = await verified(database, folder, capsys, scope_of(other))
    assert (status, reported.count("A TIME STAMP DOES NOT MATCH ITS CHECKPOINT")) == (1, 2)
    fleet.connection.execute(SWAP)
    status, reported = await verified(database, folder, capsys, scope)
    place = f"A TIME STAMP DOES NOT MATCH ITS CHECKPOINT: of position 5 by {authority.address}: Mismatch"
    assert (status, place in reported) == (1, True)
    fleet.connection.execute("DELETE FROM audit.time_stamps")
    first, second = sorted((folder / "stamps").glob("*.tsr"))
    first.write_bytes(second.read_bytes())
    status, reported = await verified(database, folder, capsys, scope)
    assert (status, f"A TIME STAMP DOES NOT MATCH ITS CHECKPOINT: {first.name}: Mismatch" in reported) == (
        1,
        True,
    )


async def test_absent_authority_delays_nothing(
    fleet: Fleet, database: Database, folder: Path, tmp_path: Path
) -> None:
    register(fleet, 1, 5)
    with time_stamp_authority(tmp_path / "authority") as authority:
        authority.is_away = True
        trusted = read_authorities(authority.certificate)
        async with sealing(database.sealer, folder, authorities=[authority.address], trusted=trusted) as (
            sealer,
        ):
            await eventually(lambda: sealed(folder) == 5)
            await eventually(lambda: sealer.readiness().degraded)
            check = sealer.readiness()
            assert (check.ok, check.detail["error"]) == (
                True,
                f"no time stamp from {authority.address}: answers 503",
            )
            assert authority.address in check.detail["away_since"]
            authority.is_away = False
            await eventually(lambda: positions(fleet) == [5])
            await eventually(lambda: not sealer.readiness().degraded)


async def test_stamp_of_an_unknown_authority_is_not_stored(
    fleet: Fleet, database: Database, folder: Path, tmp_path: Path
) -> None:
    with time_stamp_authority(tmp_path / "a") as authority, time_stamp_authority(tmp_path / "b") as other:
        trusted = read_authorities(other.certificate)
        async with sealing(database.sealer, folder, authorities=[authority.address], trusted=trusted) as (
            sealer,
        ):
            await eventually(lambda: "verify" in str(sealer.readiness().detail["error"]))
    assert positions(fleet) == []
    assert not await asyncio.to_thread(lambda: list(SealedLog(folder).time_stamps()))


def test_invalid_settings_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(authorities: str, certificates: str) -> str:
        monkeypatch.setenv("FLEETLOG_TIME_STAMP_AUTHORITIES", authorities)
        monkeypatch.setenv("FLEETLOG_TIME_STAMP_CERTIFICATES", certificates)
        with pytest.raises(ProjectionStopped) as error:
            require_authorities()
        return str(error.value)

    assert "must be http: or https: addresses" in refused("ftp://stamps.example", "")
    assert "must name the authorities' certificates" in refused("https://stamps.example", "")
    assert "there are no certificates in PEM" in refused("", str(tmp_path / "none.pem"))
    assert "there are no certificates in PEM" in refused("", "-----BEGIN CERTIFICATE-----")
    authority = TimeStampAuthority(tmp_path / "authority")
    authority.create()
    for value in (str(tmp_path / "authority" / "root.pem"), authority.certificate.decode()):
        monkeypatch.setenv("FLEETLOG_TIME_STAMP_AUTHORITIES", "https://stamps.example, http://b.example")
        monkeypatch.setenv("FLEETLOG_TIME_STAMP_CERTIFICATES", value)
        urls, trusted = require_authorities()
        assert (urls, len(trusted)) == (["https://stamps.example", "http://b.example"], 1)
