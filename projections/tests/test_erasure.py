"""An erased person is nowhere any more, even if workers are killed, and a receipt proves it."""

import asyncio
import hashlib
import json
import random
import shutil
import signal
from base64 import b64encode
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from projections_testing.erasures import (
    CHANGED,
    DRIVER,
    OTHER,
    PERSON,
    InstanceFolder,
    command_of,
    erased,
    erasures,
    forget,
    open_command_handler,
    receipts,
    register,
)
from projections_testing.leases import eventually
from projections_testing.processes import RunningWorker, run
from projections_testing.sealed_data import KEY

from command_api.commands.handler import CommandHandler
from command_api.domain.catalogue import DEFINITIONS
from command_api.event_store.log import EventLog
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import AppendRequest
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.key_encryption_keys import KeyEncryptionKeys, KeysUnavailable
from ops.base.encryption.searches import SearchEncryption
from ops.base.encryption.sqlite import local_store
from ops.base.encryption.states import key_id_of
from ops.base.records.unique_texts import normalised
from ops.tamper_evidence.proof_checks import check_proof
from ops.tamper_evidence.receipts import check_receipt
from ops.testing.postgres import Database, PostgresServer
from ops.testing.soak import suite_and_soak
from projections.leadership.locks import hold_command_lock
from projections.workers.erasure.erasures import Erasure, EventId, pending
from projections.workers.erasure.files import search_files
from projections.workers.erasure.steps import NotYet, Steps
from read_model.tables.search_terms import key_of as sort_key

STEPS = ["decrypted", "destroyed", "rotated", "rewritten", "purged", "acknowledged", "scanned"]
BOUNDARIES = [
    *(f"erasing.{step}{end}" for step in STEPS for end in ("", "_recorded")),
    *("erasing.receipt", "erasing.issued", "keys.rewrapping"),
]


@pytest.fixture
async def handler(sealing_handler: CommandHandler) -> CommandHandler:
    """A command handler, and three drivers."""
    await register(sealing_handler, "EMP-1", PERSON)
    await register(sealing_handler, "EMP-2", OTHER)
    await register(sealing_handler, "EMP-3", OTHER)
    return sealing_handler


def key_of(database: Database, employee: str) -> str:
    with psycopg.connect(database.owner) as connection:
        ((state,),) = connection.execute(
            "SELECT state FROM log.events WHERE (originator_id, originator_version) = (%s, 1)",
            [f"driver:{employee}"],
        ).fetchall()
    key_id = key_id_of(bytes(state))
    assert key_id
    return key_id


def revisions(database: Database) -> int:
    with psycopg.connect(database.owner) as connection:
        ((rows,),) = connection.execute("SELECT count(*) FROM read.revisions").fetchall()
    return int(rows)


def searched(database: Database) -> list[tuple[str]]:
    """Return the ids with search terms, after checking that the table is unlogged and has no statistics."""
    with psycopg.connect(database.owner) as connection:
        about = connection.execute(
            "SELECT relpersistence::text, relname, array_agg(attname::text ORDER BY attnum)"
            " FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attstattarget = 0"
            " WHERE pg_class.oid = 'read.drivers_search'::regclass GROUP BY 1, 2"
        ).fetchall()
        assert about == [("u", "drivers_search", ["search_text", "sort_keys", "match_keys"])]
        connection.execute("ANALYZE read.drivers_search")
        analysed = connection.execute("SELECT attname FROM pg_stats WHERE tablename LIKE 'drivers_search%'")
        assert {name for (name,) in analysed} == {"id", "version"}
        return connection.execute("SELECT id FROM read.drivers_search ORDER BY id").fetchall()


async def opens(folder: Path, wrapping: Path, key_id: str) -> bool:
    with closing(local_store(folder, KeyEncryptionKeys(wrapping))) as store:
        try:
            return (await store.fetch([key_id]))[key_id] is not None
        except KeysUnavailable:
            return False


async def search(database: Database, text: str) -> str:
    """Record a search for a text, and return the id of its key."""
    sealed = (await SearchEncryption().encrypt({"request-1": text}))["request-1"]
    views = {
        "subjects": [],
        "who": [],
        "what": [],
        "views": [[0, 0, 1, "EMP-1", "request-1", None, 1, sealed]],
    }
    with psycopg.connect(database.query, autocommit=True) as connection:
        connection.execute(
            "SELECT audit.record_access(%s::uuid, '', '', '', 'views', %s::json)",
            (uuid4(), json.dumps(views)),
        )
    return sealed["key"]


def exported(database: Database, instance: InstanceFolder, employee: str) -> list[Any]:
    """Export a driver's history, and return its decrypted events."""
    done = run(database, "export", "--opened", f"driver:{employee}", environment=instance.environment)
    assert done.returncode == 0, done.stderr
    proven = check_proof(done.stdout.encode().splitlines(keepends=True), KEY.verifying_key)
    lines = [line for line in map(json.loads, done.stdout.splitlines()) if "opened" in line]
    assert [line["position"] for line in lines] == [event["position"] for event in proven.history]
    opened = [json.loads(line["opened"]) for line in lines]
    assert [one.get("why") for one in opened] == [None if one["event"] else "erased" for one in opened]
    return [one["event"] for one in opened]


def erases(worker: RunningWorker) -> bool:
    """Return whether a worker leads the erasures."""
    erasing = worker.readiness()["checks"].get("erasing")
    return erasing is not None and erasing["detail"]["role"] == "leading"


async def test_erased_person_is_nowhere_and_has_a_receipt(
    database: Database, instance: InstanceFolder, handler: CommandHandler, tmp_path: Path
) -> None:
    gone, kept = key_of(database, "EMP-1"), key_of(database, "EMP-2")
    with RunningWorker(database, environment=instance.environment) as worker:
        await eventually(worker.is_ready)
        copy = Path(shutil.copytree(instance.keys, tmp_path.with_name(f"{tmp_path.name}-copy")))
        await forget(handler, "EMP-1")
        await eventually(lambda: bool(receipts(database)))
        # The worker restarts after an erasure.
        await eventually(lambda: erases(worker))
    assert [await opens(instance.keys, instance.keys, one) for one in (gone, kept)] == [False, True]
    assert not await opens(copy, instance.keys, gone)
    assert not await opens(copy, instance.keys, kept)

    (text,) = receipts(database)
    statement, event, checkpoint = check_receipt(text, KEY.verifying_key)
    assert (event.originator_id, event.originator_version, event.topic) == (
        "driver:EMP-1",
        4,
        "driver.erased",
    )
    assert [key["id"] for key in statement["keys"]] == [gone]
    assert statement["keys"][0]["fingerprint"].startswith(f"{gone}.")
    assert statement["events"] == {"sealed": 4, "in_the_clear": 0}
    assert statement["epochs"]["destroyed"] == statement["epochs"]["epoch"] - 1
    assert statement["asked"]["by"] == "dev|ingrid"
    assert statement["erased"]["by"] == "dev|omar"
    assert statement["checkpoint"]["size"] == checkpoint.size
    assert statement["checkpoint_before"]["size"] < event.position
    scan = statement["scan"]
    assert scan["found"] == []
    assert (scan["not_scanned"], scan["files_unread"]) == (None, 0)
    assert scan["rows"] > 10
    assert scan["files"] > 3
    for identifying in ("Zubeida", "Wandering", "EMP-1"):
        assert identifying not in text.split('"event"')[0]
    assert searched(database) == [("EMP-2",), ("EMP-3",)]
    done = run(database, "verify", environment=instance.environment)
    assert done.returncode == 0, done.stdout
    assert exported(database, instance, "EMP-1") == [None] * 4
    registered, moved = exported(database, instance, "EMP-2")
    assert (registered["details"]["name"], *moved["changes"]) == (OTHER["name"], "address_1")
    await forget(handler, "EMP-2")
    assert exported(database, instance, "EMP-2") == [None, None], "no worker has destroyed the key yet"


@pytest.mark.parametrize("kills", suite_and_soak(6, len(BOUNDARIES)))
async def test_another_worker_completes_erasures_of_a_killed_worker(
    database: Database, instance: InstanceFolder, handler: CommandHandler, kills: int
) -> None:
    boundaries = random.sample(BOUNDARIES, kills)
    print(f"killed at {boundaries}")
    for number, boundary in enumerate(boundaries, start=1):
        await register(handler, f"ONE-{number}", {**PERSON, "name": f"Person of number {number}"})
        await forget(handler, f"ONE-{number}")
        with RunningWorker(database, environment=instance.environment, failpoint=boundary) as killed:
            await asyncio.to_thread(killed.wait)
            assert killed.process.exitcode == -signal.SIGKILL
    with RunningWorker(database, environment=instance.environment):
        await eventually(lambda: len(receipts(database)) == kills)
    for number, text in enumerate(receipts(database), start=1):
        statement, event, _ = check_receipt(text, KEY.verifying_key)
        assert event.originator_id == f"driver:ONE-{number}"
        assert statement["keys"][0]["fingerprint"] is not None
        assert not await opens(instance.keys, instance.keys, key_of(database, f"ONE-{number}"))
    assert await opens(instance.keys, instance.keys, key_of(database, "EMP-1"))


async def test_decryption_that_a_later_erasure_interrupts_is_repeated(
    database: Database, instance: InstanceFolder, handler: CommandHandler
) -> None:
    await forget(handler, "EMP-1")
    with RunningWorker(database, environment=instance.environment, failpoint="erasing.decrypted") as killed:
        await asyncio.to_thread(killed.wait)
    steps = Steps(None)
    async with await psycopg.AsyncConnection.connect(database.sealer, autocommit=True) as connection:
        (first,) = await pending(connection)
        later = Erasure(EventId("driver", "EMP-2", 4), first.position + 1, {})
        with closing(instance.store()) as store:
            async with KEYS.use(store):
                with pytest.raises(NotYet):
                    await steps.decrypt(connection, [first, later])
    assert steps.knows_texts
    assert steps.is_due("decrypted", first)


UNIQUE = {
    "driver": {"passport_number": "ZK-7340 291", "driving_license_number": "QX-5591 83 7264"},
    "horse": {"chassis_number": "WMA 58H-ZZ4-66017", "engine_number": "OM4-57.993-C06"},
    "trailer": {"trailer_registration_number": "TS-07 UJ-9462"},
}


def plain_forms(text: str) -> set[bytes]:
    return {form.lower().encode() for form in (text, normalised(text), sort_key(text))}


def unkeyed_hashes(texts: Iterable[str]) -> set[bytes]:
    """Return hashes of texts in the forms in which files could contain them, in lower case."""
    contents = [form.encode() for text in texts for form in (text, text.lower(), normalised(text))]
    digests = [
        *(hashlib.new(name, one).digest() for name in HASHES for one in contents),
        *(hashlib.blake2b(one, digest_size=size).digest() for size in (16, 32) for one in contents),
    ]
    forms = (form for one in digests for form in (one[:16], one.hex().encode(), b64encode(one)[:-2]))
    return {form.lower() for form in forms}


HASHES = ("md5", "sha1", "sha256", "sha512", "blake2b")


async def test_unique_values_are_in_files_as_keyed_hashes_and_drivers_search_terms_only(
    postgres: PostgresServer, database: Database, instance: InstanceFolder, sealing_handler: CommandHandler
) -> None:
    """Vehicles' values are not personal data, so events and lists have them unencrypted."""
    for name, values in UNIQUE.items():
        definition = DEFINITIONS[name]
        details = {**definition.blank_details(), **definition.example, **values}
        await sealing_handler.register(definition, "EMP-77", details, command_of("asha"))
    with psycopg.connect(database.owner, autocommit=True) as connection:
        ((key_id,),) = connection.execute("SELECT key_id FROM log.unique_key").fetchall()

        def files_of(table: str) -> set[str]:
            found = connection.execute(
                "SELECT pg_relation_filepath(one.oid) FROM pg_class AS one"
                " LEFT JOIN pg_index ON indexrelid = one.oid"
                " JOIN pg_class AS kept ON kept.oid = %s::regclass"
                " AND (kept.oid IN (one.oid, indrelid) OR kept.reltoastrelid = one.oid)",
                [table],
            )
            return {path for (path,) in found}

        def found(texts: Iterable[bytes]) -> set[str]:
            # This writes the buffers of unlogged tables, too, which CHECKPOINT does not.
            postgres.drop_database(postgres.create_database())
            wanted, folders = [*texts], (postgres.cluster.data, instance.folder)
            return {one["place"] for folder in folders for one in search_files(folder, wanted)["found"]}

        await KEYS.load([key_id])
        key = KEYS.get(key_id)
        assert key
        driver = UNIQUE["driver"]
        keyed = [key.hash(f"driver.{name}|{normalised(text)}").lower() for name, text in driver.items()]
        plain = [form for text in driver.values() for form in plain_forms(text)]
        with RunningWorker(database, environment=instance.environment) as worker:
            search = "SELECT FROM read.drivers_search"
            await eventually(lambda: bool(connection.execute(search).fetchall()))
            assert (
                found(form for values in UNIQUE.values() for form in unkeyed_hashes(values.values())) == set()
            )
            # Lists are sorted by these fields.
            for texts, table in ((plain, "read.drivers_search"), (keyed, "log.unique_values")):
                places = found(texts)
                assert places
                assert places <= files_of(table)
            await forget(sealing_handler, "EMP-77")
            await eventually(lambda: bool(receipts(database)))
            await eventually(lambda: erases(worker))
        assert found([*keyed, *plain]) == set()


async def test_remaining_plaintext_is_reported_by_path_and_searches_for_the_person_are_erased(
    database: Database, instance: InstanceFolder, handler: CommandHandler
) -> None:
    searches = [await search(database, text) for text in ("nowhere\nquarter", "bengaluru", "mbeki")]
    (instance.folder / "left.log").write_bytes(b"x" * 3_999_995 + b"Zubeida QUARTERMAINE\n" * 2)
    with psycopg.connect(database.owner, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO notify.deliveries (subscription_id, moment, kind, attempt, ok, response)"
            " VALUES ('SUB-1', now(), 'event', 1, false, 'unknown: Zubeida Quartermaine')"
        )
    await forget(handler, "EMP-1")
    statement = await erased(database, instance)
    places = [{"place": "notify.deliveries", "count": 1}, {"place": "left.log", "count": 2}]
    assert (statement["scan"]["found"], statement["searches"]) == (places, 1)
    assert [await opens(instance.keys, instance.keys, one) for one in searches] == [False, True, True]


async def test_texts_of_another_record_are_not_scanned_for(
    database: Database, instance: InstanceFolder, handler: CommandHandler
) -> None:
    with RunningWorker(database, environment=instance.environment) as worker:
        await eventually(worker.is_ready)
        with psycopg.connect(database.owner) as other:
            other.execute("SELECT FROM read.positions WHERE projection = 'drivers' FOR UPDATE")
            await register(handler, "EMP-4", PERSON)
            await forget(handler, "EMP-1")
            await eventually(lambda: "drivers has not reached position" in str(erasures(database)))
        await eventually(lambda: bool(receipts(database)))
    assert check_receipt(receipts(database)[0], KEY.verifying_key).statement["scan"]["found"] == []


async def test_erasure_waits_for_commands_and_erases_late_searches(
    database: Database, instance: InstanceFolder, handler: CommandHandler
) -> None:
    with RunningWorker(database, environment=instance.environment) as worker:
        await eventually(worker.is_ready)
        async with hold_command_lock(database.projections):
            await forget(handler, "EMP-1")
            await eventually(lambda: "have not ended: 1" in str(erasures(database)))
            async with hold_command_lock(database.projections):
                late = await search(database, "quartermaine")
        await eventually(lambda: bool(receipts(database)))
    assert check_receipt(receipts(database)[0], KEY.verifying_key).statement["searches"] == 1
    assert not await opens(instance.keys, instance.keys, late)


async def test_all_late_searches_are_erased_if_the_texts_are_lost(
    database: Database, instance: InstanceFolder, handler: CommandHandler
) -> None:
    early = await search(database, "mbeki")
    await forget(handler, "EMP-1")
    with RunningWorker(database, environment=instance.environment, failpoint="erasing.destroyed") as killed:
        await asyncio.to_thread(killed.wait)
    late = [await search(database, text) for text in ("quartermaine", "mbeki")]
    statement = await erased(database, instance)
    assert "restarted" in statement["scan"]["not_scanned"]
    assert statement["searches"] == len(late)
    assert [await opens(instance.keys, instance.keys, one) for one in (early, *late)] == [True, False, False]


async def test_erasure_without_the_key_encryption_key_waits(
    database: Database, instance: InstanceFolder, handler: CommandHandler
) -> None:
    with RunningWorker(database, environment=instance.environment) as worker:
        await eventually(lambda: worker.is_ready() and revisions(database) == 6)
        away = (instance.keys / "epoch-1.key").rename(instance.folder / "away")
        await forget(handler, "EMP-1")
        await eventually(
            lambda: any("epoch-1.key" in str(one["steps"].get("waits")) for one in erasures(database))
        )
        assert "rotated" not in erasures(database)[0]["steps"]
        away.rename(instance.keys / "epoch-1.key")
        await eventually(lambda: bool(receipts(database)))
    statement = check_receipt(receipts(database)[0], KEY.verifying_key).statement
    assert statement["epochs"]["destroyed"] == 1
    assert statement["scan"]["not_scanned"] is None


async def append_unencrypted(log: EventLog, employee: str) -> None:
    """Register and change a driver, as an application without a key store does."""
    command = command_of("asha")
    unused = DRIVER.unused(employee)
    registered = unused.register(PERSON, command.metadata)
    driver = unused.after(registered, datetime.now(UTC))
    changed = driver.change({**PERSON, "address_1": f"{CHANGED} {employee}"}, command.metadata)
    assert changed is not None
    events = tuple(MAPPER.to_stored_event(event) for event in (registered, changed))
    await log.append(AppendRequest(command.command_id, events))


async def test_unencrypted_events_are_counted_and_reported(
    database: Database, instance: InstanceFolder
) -> None:
    async with EventLog.open(database.command, pool_size=2) as log:
        await append_unencrypted(log, "EMP-1")
    with closing(instance.store()) as store:
        async with KEYS.use(store), open_command_handler(database) as handler:
            await forget(handler, "EMP-1")
    statement = await erased(database, instance)
    assert statement["events"] == {"sealed": 2, "in_the_clear": 2}
    assert statement["scan"]["found"] == [
        {"place": "log.events", "count": 2},
        {"place": "read.revisions", "count": 2},
    ]


async def test_receipt_is_immutable_and_an_erasure_removed_from_the_log_is_detected(
    database: Database, instance: InstanceFolder, handler: CommandHandler
) -> None:
    await forget(handler, "EMP-1")
    await erased(database, instance)
    issued = erasures(database)
    with psycopg.connect(database.owner, autocommit=True) as connection:
        for statement in ("UPDATE privacy.erasures SET receipt = ''", "DELETE FROM privacy.erasures"):
            with pytest.raises(psycopg.errors.RestrictViolation):
                connection.execute(statement.encode())
        assert erasures(database) == issued
        connection.execute("ALTER TABLE log.events DISABLE TRIGGER USER")
        connection.execute("DELETE FROM log.events WHERE topic = 'driver.erased'")
    done = run(database, "verify", "--log-only", environment=instance.environment)
    assert done.returncode == 1
    assert "at position 8" in done.stdout
