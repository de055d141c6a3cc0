"""Queries of the audit trail."""

from datetime import timedelta
from typing import Any, Final

import httpx
from projections_testing.fleet import BEGIN

AUDIT: Final = "/api/v1/audit"


async def positions(client: httpx.AsyncClient, **parameters: Any) -> list[int]:
    """Return the positions of the changes found, which must fit into one page."""
    response = await client.get(AUDIT, params=parameters)
    assert response.status_code == 200, response.text
    assert response.json()["next"] is None
    return [change["position"] for change in response.json()["content"]]


def at(position: int) -> str:
    """Return the moment of the fleet's event at a position."""
    return (BEGIN + timedelta(seconds=position)).isoformat()
