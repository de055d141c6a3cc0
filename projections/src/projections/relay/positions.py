"""The relay's position in each Kafka cluster, by version of the topics."""

from typing import NamedTuple

from psycopg import AsyncConnection

from read_model.public_events.envelope import TOPICS_VERSION


class RelayPosition(NamedTuple):
    """A row of `read.relay_positions`."""

    position: int
    """The last position that the cluster has acknowledged."""
    rewound_from: int | None
    """The former position, while the events up to it are published again."""


class PositionMoved(Exception):
    """The relay was rewound, or another relay has published, since the position was read."""


async def begin(connection: AsyncConnection, cluster: str) -> RelayPosition:
    """Return a cluster's position; create position 0 for a new cluster."""
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


async def advance(connection: AsyncConnection, cluster: str, *, after: int, to: int) -> None:
    """Record that the broker has acknowledged all events up to a position; raise PositionMoved unless it was
    at `after`.
    """
    cursor = await connection.execute(
        "UPDATE read.relay_positions SET position = %(to)s, acknowledged = clock_timestamp(),"
        " rewound_from = CASE WHEN rewound_from > %(to)s THEN rewound_from END"
        " WHERE cluster = %(cluster)s AND topics = %(topics)s AND position = %(after)s",
        {"to": to, "cluster": cluster, "topics": TOPICS_VERSION, "after": after},
    )
    if cursor.rowcount != 1:
        raise PositionMoved


async def rewind(connection: AsyncConnection, cluster: str, position: int) -> int | None:
    """Publish all events after a position again, including those that the topics contain.

    Returns:
        The former position; None if it was not beyond `position`, and nothing was changed.
    """
    cursor = await connection.execute(
        "WITH former AS ("
        "SELECT * FROM read.relay_positions"
        " WHERE cluster = %(cluster)s AND topics = %(topics)s AND position > %(position)s FOR UPDATE"
        ") UPDATE read.relay_positions AS kept"
        " SET position = %(position)s, rewound_from = greatest(former.position, former.rewound_from)"
        " FROM former WHERE (kept.cluster, kept.topics) = (former.cluster, former.topics)"
        " RETURNING former.position",
        {"cluster": cluster, "topics": TOPICS_VERSION, "position": position},
    )
    row = await cursor.fetchone()
    return row[0] if row else None
