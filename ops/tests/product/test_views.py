"""Views of personal data are recorded even if a query API stops or is killed."""

import signal

import psycopg
import pytest

from ops.testing.conditions import wait_for
from ops.testing.product.bodies import usual_body
from ops.testing.product.client import Client
from ops.testing.product.exchanges import PATHS, Actor
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration

_REQUESTS = """
SELECT view ->> 4
FROM audit.accesses, json_array_elements(details -> 'views') AS view
WHERE action = 'views'
"""
_GAPS = "SELECT count(*) <> max(number) FROM audit.accesses"


@pytest.mark.parametrize("ended", [signal.SIGTERM, signal.SIGKILL])
def test_views_are_recorded_across_an_end_of_the_query_api(
    stack: Stack, client: Client, asha: Actor, daniel: Actor, ended: signal.Signals
) -> None:
    body = usual_body("driver").sending(id=f"EMP-{ended.name}").sent
    written = client.request("POST", PATHS["driver"], actor=asha, json=body)
    address = written.raise_for_status().headers["location"]

    def see() -> str:
        """Read the record, and return the request's id."""
        return str(client.request("GET", address, actor=asha).raise_for_status().headers["x-request-id"])

    with psycopg.connect(stack.owner_dsn, autocommit=True) as owner:

        def recorded() -> list[str]:
            return [request for (request,) in owner.execute(_REQUESTS)]

        seen = [see() for _ in range(20)]
        if ended == signal.SIGKILL:  # loses views in memory, up to some tenths of a second
            wait_for(lambda: set(seen) <= set(recorded()))
        stack.wait_until_back("query-api", stack.kill("query-api", ended))
        seen.append(see())
        wait_for(lambda: set(seen) <= set(recorded()))
        assert sorted(request for request in recorded() if request in seen) == sorted(seen)
        assert owner.execute(_GAPS).fetchone() == (False,)
    views = (
        client.request("GET", f"{address}/seen-by?order=desc&limit=1000", actor=daniel)
        .raise_for_status()
        .json()
    )
    assert {*seen} <= {view["request_id"] for view in views["content"]}
    verified = stack.run("audit", "verify", "--log-only")
    assert "THE ACCESS LOG IS NOT" not in verified.stdout
