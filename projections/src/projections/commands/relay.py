"""`projections rewind`: publishing to Kafka again."""

import sys

from kafka.errors import KafkaError

from ops.base.database.connection import connect
from projections.failures import ProjectionStopped
from projections.relay import positions
from projections.relay.publisher import cluster_id
from projections.relay.settings import KafkaSettings


async def rewind(dsn: str, settings: KafkaSettings, position: int) -> int:
    """Make the relay publish all events after a position again."""
    try:
        cluster = cluster_id(settings)
    except KafkaError as error:
        raise ProjectionStopped(f"Kafka at {settings.servers}: {type(error).__name__}") from None
    async with await connect(dsn, autocommit=True) as connection:
        before = await positions.rewind(connection, cluster, position)
    if before is None:
        sys.stderr.write(f"Nothing was changed: the relay has not published beyond {position}\n")
        return 1
    print(f"The relay was at position {before}, and publishes again from {position + 1} on")
    return 0
