"""That a trace goes on to Kafka."""

import pytest
from projections_testing.fleet import METADATA, Fleet
from projections_testing.following import catch_up
from projections_testing.processes import RunningWorker
from projections_testing.relaying import relay_environment
from psycopg import AsyncConnection

from ops.testing.kafka import KafkaBroker
from ops.testing.postgres import Database
from ops.testing.span_receiver import SpanReceiver

pytestmark = pytest.mark.integration


async def test_what_is_published_is_linked_to_the_request_that_caused_it(
    fleet: Fleet, connection: AsyncConnection, database: Database, broker: KafkaBroker
) -> None:
    fleet.register("driver", "EMP-1")
    fleet.change("driver", "EMP-1", city="Mysuru")
    await catch_up(connection)
    with SpanReceiver() as receiver:
        settings = {**relay_environment(broker), **receiver.environment}
        with RunningWorker(database, command="relay", environment=settings):
            receiver.wait_for(bool)
    (published,) = receiver.spans
    assert (published.service, published.name, published.kind) == ("fleetlog-relay", "publish", "PRODUCER")
    _, trace_id, span_id, _ = (METADATA.traceparent or "").split("-")
    assert published.links == {(trace_id, span_id)}
    assert published.attributes == {"fleetlog.first_position": 1, "fleetlog.last_position": 2}
