"""That nothing but what is declared public reaches Kafka's disk, the relay's log or its metrics."""

from pathlib import Path

import pytest
from projections_testing.fleet import METADATA, Fleet
from projections_testing.following import catch_up
from projections_testing.processes import RunningWorker
from projections_testing.relaying import relay_environment, until_relayed
from psycopg import AsyncConnection

from command_api.domain.catalogue import DEFINITIONS
from ops.testing.kafka import KafkaBroker
from ops.testing.postgres import Database

pytestmark = pytest.mark.integration

INDEXES = {".index", ".timeindex"}
"""Of Kafka's files: large, and made of numbers only."""


async def test_nothing_but_what_is_public_is_found_in_what_the_broker_and_the_relay_keep(
    fleet: Fleet, connection: AsyncConnection, database: Database, broker: KafkaBroker, tmp_path: Path
) -> None:
    trace = METADATA.traceparent or ""
    planted = [METADATA.actor.name, METADATA.actor.sub, METADATA.reason or "", *trace.split("-")[1:3]]
    planted.append(METADATA.client_request_id or "")
    for entity, definition in DEFINITIONS.items():
        # Texts everywhere, also where only numbers, days and known words are public.
        values = {field: f"Planted {entity} {field}" for field in definition.fields}
        fleet.register(entity, "SEEN-1", **values)
        changed = {field: f"{value} changed" for field, value in values.items()}
        fleet.change(entity, "SEEN-1", **changed)
        planted += [*values.values(), *changed.values()]
    fleet.remove("driver", "SEEN-1")
    assert len(planted) >= 80
    await catch_up(connection)
    log = tmp_path / "relay.log"
    # What is compressed could not be searched.
    settings = {**relay_environment(broker), "FLEETLOG_KAFKA_COMPRESSION": "none"}
    with RunningWorker(database, command="relay", environment=settings, output=log) as relay:
        await until_relayed(fleet.connection, fleet.position)
        reported = relay.get("/metrics")[1] + relay.get("/readyz")[1] + log.read_text()
    files = [path for path in broker.folder.rglob("*") if path.is_file() and path.suffix not in INDEXES]
    kept = b"".join(path.read_bytes() for path in files)
    assert b"SEEN-1" in kept, "what is public is there to be found"
    assert "relay_leads" in reported
    for value in planted:
        assert value.encode() not in kept
        assert value not in reported
