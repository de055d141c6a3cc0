"""How far the relay has published to each Kafka cluster: one row for each version of the topics."""

from typing import NamedTuple

from psycopg import AsyncConnection

from projections.public_events.names import TOPICS_VERSION


class RelayPosition(NamedTuple):
    """A row of `read.relay_positions`."""

    position: int
    """The last position that the cluster has acknowledged."""
    rewound_from: int | None
    """Set while what lies between is published again on purpose."""


class PositionMoved(Exception):
    """Somebody has rewound the relay since its position was read, or published in its place."""


async def begin(connection: AsyncConnection, cluster: str) -> RelayPosition:
    """Return how far a cluster is; one that was never published to begins before the first event."""
    await connection.execute(
        "INSERT INTO read.relay_positions (cluster, topics, position) VALUES (%s, %s, 0)"
        " ON CONFLICT DO NOTHING",
        (cluster, TOPICS_VERSION),
    )
    cursor = await connection.execute(
        "SELECT position, rewound_from FROM read.relay_positions WHERE cluster = %s AND topics = %s",
        (cluster, TOPICS_VERSION),
    )
    ((position, rewound_from),) = await cursor.fetchall()
    return RelayPosition(position, rewound_from)


async def require(connection: AsyncConnection, cluster: str, expected: int) -> None:
    """See that the position is still the one that was read.

    Raises:
        PositionMoved: it is not.
    """
    if (await begin(connection, cluster)).position != expected:
        raise PositionMoved


async def advance(connection: AsyncConnection, cluster: str, *, after: int, to: int) -> None:
    """Record that the broker has acknowledged everything up to a position.

    Raises:
        PositionMoved: it was not `after` any more.
    """
    cursor = await connection.execute(
        "UPDATE read.relay_positions SET position = %(to)s, acknowledged = clock_timestamp(),"
        " rewound_from = CASE WHEN rewound_from > %(to)s THEN rewound_from END"
        " WHERE cluster = %(cluster)s AND topics = %(topics)s AND position = %(after)s",
        {"to": to, "cluster": cluster, "topics": TOPICS_VERSION, "after": after},
    )
    if cursor.rowcount != 1:
        raise PositionMoved


async def rewind(connection: AsyncConnection, cluster: str, position: int) -> RelayPosition | None:
    """Let everything after a position be published once more, also what the topics hold.

    Returns:
        How far it was before; None: it was not beyond `position`, and nothing was changed.
    """
    async with connection.transaction():
        cursor = await connection.execute(
            "SELECT position, rewound_from FROM read.relay_positions"
            " WHERE cluster = %s AND topics = %s FOR UPDATE",
            (cluster, TOPICS_VERSION),
        )
        row = await cursor.fetchone()
        if row is None or row[0] <= position:
            return None
        await connection.execute(
            "UPDATE read.relay_positions SET position = %s, rewound_from = greatest(position, rewound_from)"
            " WHERE cluster = %s AND topics = %s",
            (position, cluster, TOPICS_VERSION),
        )
    return RelayPosition(*row)
