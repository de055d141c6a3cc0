"""One sealer at a time seals the growing log, and stops if the log contradicts the seals."""

import asyncio
import gc
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from kafka import KafkaProducer
from projections_testing.fleet import Fleet, register
from projections_testing.http_address import http_address
from projections_testing.leases import eventually
from projections_testing.sealed_data import (
    KEY,
    append,
    endless_events,
    note_of,
    seal,
    sealed,
    sealing,
    verdict_on,
)
from psycopg import AsyncConnection
from structlog.testing import capture_logs

from ops.tamper_evidence.checkpoints import Checkpoint
from ops.tamper_evidence.merkle_tree import root_of
from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.signed_notes import AUDIT_FILE
from ops.testing.kafka import KafkaBroker, read_topics
from ops.testing.metrics import sample
from ops.testing.postgres import Database
from ops.testing.sealed_logs import ORIGIN, OTHER_KEY, change_note
from projections.commands.audit import restart_sealing, verify
from projections.relay.settings import KafkaSettings
from projections.workers.sealing.kafka_witness import TOPIC, KafkaWitness
from projections.workers.sealing.witnesses import FolderWitness, HttpWitness, WitnessAway
from projections.workers.verification.verification import Scope


def checkpoints(folder: Path) -> list[int]:
    return [checkpoint.size for checkpoint in SealedLog(folder).checkpoints(KEY.verifying_key)]


async def logged(database: Database, folder: Path, event: str) -> str:
    """Run a sealer until it logs an event, and return the event's error."""
    with capture_logs() as logs:
        async with sealing(database.sealer, folder, events=1):
            await eventually(lambda: any(entry["event"] == event for entry in logs))
    return next(str(entry.get("error", "")) for entry in logs if entry["event"] == event)


async def test_growing_log_is_sealed_by_one_sealer(
    fleet: Fleet, database: Database, connection: AsyncConnection, tmp_path: Path
) -> None:
    register(fleet, 1, 4)
    async with sealing(database.sealer, tmp_path, sealers=2):
        for number in range(5, 24):
            register(fleet, number, number)
            await asyncio.sleep(0.01)
        await eventually(lambda: sealed(tmp_path) == 20)
    verdict = await verdict_on(connection, tmp_path)
    assert (verdict.fault, verdict.events, verdict.sealed) == (None, 23, 20)
    await seal(database.sealer, tmp_path, every=1, up_to=23)  # continues after the other sealer
    assert (await verdict_on(connection, tmp_path)).sealed == 23


async def test_long_log_is_sealed_in_steps(fleet: Fleet, database: Database, tmp_path: Path) -> None:
    register(fleet, 1, 23)
    await seal(database.sealer, tmp_path, every=5, up_to=20)
    assert checkpoints(tmp_path) == [0, 5, 10, 15, 20]


async def test_roots_of_full_blocks_are_stored(
    fleet: Fleet, database: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    append(database.command, endless_events(), number=2100)

    def stored() -> list[tuple[int, bytes]]:
        return fleet.connection.execute("SELECT number, root FROM audit.subtrees ORDER BY number").fetchall()

    await seal(database.sealer, tmp_path, every=700, up_to=2100)
    seals = SealedLog(tmp_path)
    hashes = list(seals.hashes())
    expected = [(0, root_of(hashes[:1024])), (1, root_of(hashes[1024:2048]))]
    assert stored() == expected
    fleet.connection.execute("DELETE FROM audit.subtrees WHERE number = 0")
    async with sealing(database.sealer, tmp_path, begin=False):
        await eventually(lambda: stored() == expected)
    assert await restart_sealing(database.sealer, seals, KEY, [], "another history") == 0
    assert stored() == []
    async with sealing(database.sealer, tmp_path, begin=False):
        await eventually(lambda: stored() == expected)


async def test_manifests_of_audit_files_are_signed(fleet: Fleet, database: Database, tmp_path: Path) -> None:
    manifest = f"{AUDIT_FILE}\n{ORIGIN}\n{64 * '0'} proof.ndjson\n"
    with psycopg.connect(database.query, autocommit=True) as query:

        def request(text: str) -> object:
            statement = "INSERT INTO audit.signatures (text) VALUES (%s) RETURNING id"
            return query.execute(statement, (text,)).fetchall()

        def notes() -> list[tuple[str]]:
            return query.execute("SELECT note FROM audit.signatures WHERE note IS NOT NULL").fetchall()

        for refused in (f"{ORIGIN}\n0\n", f" {manifest}", manifest.replace("/1\n", "/1 \n"), AUDIT_FILE):
            with pytest.raises(psycopg.errors.CheckViolation):
                request(refused)
        assert request(manifest)
        async with sealing(database.sealer, tmp_path):
            await eventually(lambda: notes() == [(KEY.sign(manifest),)])
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                query.execute("UPDATE audit.signatures SET text = note")
            fleet.connection.execute("UPDATE audit.signatures SET requested = now() - interval '61 minutes'")
            await eventually(lambda: notes() == [])


@pytest.mark.parametrize(("age", "seconds"), [("-1 hour", 0.1), ("2 hours", 3600)], ids=["new", "overdue"])
async def test_few_events_are_sealed_after_the_interval(
    fleet: Fleet, database: Database, tmp_path: Path, age: str, seconds: float
) -> None:
    register(fleet, 1, 1)
    fleet.connection.execute("UPDATE log.events SET moment = clock_timestamp() - %s::interval", [age])
    async with sealing(database.sealer, tmp_path, events=1000, seconds=seconds):
        await eventually(lambda: sealed(tmp_path) == 1)


async def test_changed_log_is_detected_and_truncated_log_is_not_sealed(
    fleet: Fleet, database: Database, connection: AsyncConnection, tmp_path: Path
) -> None:
    register(fleet, 1, 6)
    await seal(database.sealer, tmp_path, every=1, up_to=6)
    fleet.connection.execute(
        "UPDATE log.events SET moment = moment + interval '1 us' WHERE notification_id = 4"
    )
    verdict = await verdict_on(connection, tmp_path)
    assert (verdict.fault, verdict.position) == ("an event does not match its seal", 4)
    fleet.connection.execute("DELETE FROM log.events WHERE notification_id > 2")
    reported = await logged(database, tmp_path, "seals_do_not_fit")
    assert reported.startswith(
        "the log ends at 2, and was sealed up to 6. Nothing continues until an operator"
    )
    assert sealed(tmp_path) == 6


async def test_hashes_lost_in_a_crash_are_restored(
    fleet: Fleet, database: Database, connection: AsyncConnection, tmp_path: Path
) -> None:
    register(fleet, 1, 10)
    await seal(database.sealer, tmp_path, every=5, up_to=10)
    hashes = tmp_path / "hashes"
    hashes.write_bytes(hashes.read_bytes()[: 7 * 32 + 3])
    await logged(database, tmp_path, "seals_restored")
    assert (await verdict_on(connection, tmp_path)).fault is None


async def test_hashes_of_changed_events_are_not_restored(
    fleet: Fleet, database: Database, tmp_path: Path
) -> None:
    register(fleet, 1, 10)
    await seal(database.sealer, tmp_path, every=5, up_to=10)
    hashes = tmp_path / "hashes"
    hashes.write_bytes(hashes.read_bytes()[: 7 * 32])
    fleet.connection.execute("UPDATE log.events SET topic = 'driver.removed' WHERE notification_id = 9")
    reported = await logged(database, tmp_path, "seals_do_not_fit")
    assert reported == "the log or the hashes were changed"


async def test_removed_checkpoint_stops_a_running_sealer(
    fleet: Fleet, database: Database, tmp_path: Path
) -> None:
    register(fleet, 1, 10)
    with capture_logs() as logs:
        async with sealing(database.sealer, tmp_path):
            await eventually(lambda: sealed(tmp_path) == 10)
            change_note(tmp_path, 10)
            register(fleet, 11, 15)
            await eventually(lambda: any(one["event"] == "seals_do_not_fit" for one in logs))
    assert checkpoints(tmp_path) == [0, 5]
    reported = await logged(database, tmp_path, "seals_do_not_fit")
    assert reported == "the checkpoint of the hashes after position 5 is missing"


async def test_event_without_a_time_is_not_sealed(fleet: Fleet, database: Database, tmp_path: Path) -> None:
    register(fleet, 1, 3)
    fleet.connection.execute("UPDATE log.events SET moment = 'infinity' WHERE notification_id = 2")
    reported = await logged(database, tmp_path, "seals_do_not_fit")
    assert reported == "the row at position 2 is no event"


@pytest.mark.parametrize("years", [-10, 0, 10])
async def test_sealing_metrics_ignore_wrong_event_times(
    fleet: Fleet, database: Database, tmp_path: Path, years: int
) -> None:
    register(fleet, 1, 7)
    fleet.connection.execute(
        "UPDATE log.events SET moment = clock_timestamp() + make_interval(years => %s)", [years]
    )
    began = time.time()

    def reported() -> list[float]:
        return [sample(f"fleetlog_sealing_{name}") for name in ("leading", "position", "lag_events")]

    def waiting() -> float:
        return sample("fleetlog_sealing_waiting_timestamp_seconds")

    async with sealing(database.sealer, tmp_path, events=5):
        await eventually(lambda: reported() == [1, 5, 2] and waiting() > 0)
        # Between the last checkpoint, whose time has whole seconds, and the first observation.
        assert began - 1 <= waiting() <= time.time()
    signed_at = SealedLog(tmp_path).latest(KEY.verifying_key)
    assert signed_at is not None
    assert signed_at.moment is not None
    moment = signed_at.moment.timestamp()
    fleet.connection.execute("UPDATE log.events SET moment = now() WHERE notification_id > 5")
    async with sealing(database.sealer, tmp_path, events=5):  # after a restart
        signed = "fleetlog_sealing_checkpoint_timestamp_seconds"
        await eventually(lambda: sample(signed) == moment)
        register(fleet, 8, 10)
        await eventually(lambda: [*reported(), waiting()] == [1, 10, 0, 0])
        assert sample(signed) >= moment


async def test_absent_witness_receives_missed_checkpoints_later(
    fleet: Fleet, database: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seals, elsewhere = SealedLog(tmp_path / "seals"), tmp_path / "witness"
    witness = FolderWitness(elsewhere)
    register(fleet, 1, 8)
    async with sealing(database.sealer, seals.folder, events=4, witnesses=[witness]) as (sealer,):
        await eventually(lambda: sealed(seals.folder) == 8)
        check = sealer.readiness()
        assert (check.ok, check.degraded) == (True, True)
        assert "is away: FileNotFoundError" in check.detail["error"]
        assert sample("fleetlog_witness_away", witness=witness.name) == 1
        await asyncio.to_thread(elsewhere.mkdir)
        await eventually(lambda: witness.last(KEY.verifying_key) == seals.note(8))
        await eventually(lambda: not sealer.readiness().degraded)
        await eventually(
            lambda: sample("fleetlog_witness_agreed_timestamp_seconds", witness=witness.name) > 0
        )
    assert sorted(path.name[:19] for path in elsewhere.glob("0*.note")) == [f"{n:019}" for n in (0, 4, 8)]
    elsewhere.rename(tmp_path / "unmounted")
    capsys.readouterr()
    assert await verify(database.sealer, seals, KEY, Scope(witnesses=[witness])) == 1
    assert f"the witness {witness.name} does not answer: FileNotFoundError" in capsys.readouterr().out


async def test_disagreeing_witness_stops_sealing(fleet: Fleet, database: Database, tmp_path: Path) -> None:
    with http_address() as kept:
        witness, folder = HttpWitness(kept.address), tmp_path / "seals"
        fleet.register("driver", "EMP-1")
        await seal(database.sealer, folder, every=1, up_to=1, witnesses=[witness])
        latest = SealedLog(folder).latest(KEY.verifying_key)
        assert latest is not None
        forked = Checkpoint(latest.origin, 9, latest.root, 1, latest.moment)
        async with sealing(database.sealer, folder, events=1, witnesses=[witness]) as (sealer,):
            await eventually(lambda: sealer.readiness().detail["position"] == 1)
            kept.bodies.append(forked.signed(KEY).encode())
            fleet.register("driver", "EMP-2")
            await eventually(lambda: not sealer.readiness().ok)
            assert "has a checkpoint of position 9" in sealer.readiness().detail["error"]


@pytest.fixture
def _left_connections() -> Iterator[None]:
    """Collect the sockets that kafka-python leaves open if it is closed while it connects."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.usefixtures("_left_connections")
def test_kafka_witness_returns_the_last_valid_note(
    broker: KafkaBroker,
) -> None:
    witness = KafkaWitness(KafkaSettings(servers=broker.address))
    assert witness.last(KEY.verifying_key) is None
    witness.publish([note_of(3), note_of(5, 3)], KEY.verifying_key)
    witness.publish([note_of(9, 5)], KEY.verifying_key)
    assert witness.last(KEY.verifying_key) == note_of(9, 5)
    with KafkaProducer(bootstrap_servers=broker.address) as producer:
        producer.send(TOPIC, b"junk", partition=0).get(timeout=60)
    assert witness.last(KEY.verifying_key) == note_of(9, 5)
    with pytest.raises(WitnessAway, match="no checkpoint of this instance"):
        witness.last(OTHER_KEY.verifying_key)
    records = [record for record in read_topics(broker.address, TOPIC) if record.key is not None]
    assert [record.key.decode() for record in records] == [ORIGIN] * 3
