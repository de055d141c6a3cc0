"""Who was shown what, as tests look at it."""

import psycopg

from ops.testing.postgres import Database


def viewed(database: Database) -> int:
    """Return how many views were recorded."""
    with psycopg.connect(database.owner) as owner:
        counted = "SELECT coalesce(sum(json_array_length(details -> 'views')), 0) FROM audit.accesses"
        ((views,),) = owner.execute(f"{counted} WHERE action = 'views'").fetchall()
    return int(views)
