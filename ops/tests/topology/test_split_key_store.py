"""The split topology refuses a database of the keys that was emptied, and goes on when its keys are back."""

from typing import Any, Final

import httpx
import psycopg
import pytest

from ops.testing.product.bodies import usual_body
from ops.testing.product.client import sign_in
from ops.testing.product.exchanges import PATHS
from ops.testing.split.images import PostgresContainer
from ops.testing.split.stack import SplitStack
from ops.testing.waiting import wait_for

pytestmark = [pytest.mark.integration, pytest.mark.split, pytest.mark.timeout(600)]
APIS: Final = ("command-api-1", "command-api-2")
EMPTIES: Final = """
ALTER TABLE keys.kept DISABLE TRIGGER fence_all;
TRUNCATE keys.kept, keys.logs;
ALTER TABLE keys.kept ENABLE ALWAYS TRIGGER fence_all;
"""


def readiness(stack: SplitStack, name: str) -> dict[str, Any]:
    """Return what a container says of its keys; nothing while it does not answer."""
    try:
        reported = httpx.get(f"{stack.part_address(name)}/readyz", trust_env=False, timeout=60).json()
    except httpx.TransportError:
        return {}
    keys: dict[str, Any] = reported["checks"]["keys"]
    return keys


def restart(stack: SplitStack) -> None:
    pids = {name: stack.kill(name) for name in APIS}
    wait_for(lambda: all(stack.pid(name) != pid and readiness(stack, name) for name, pid in pids.items()))


def test_an_emptied_database_of_the_keys_is_refused_and_the_restored_one_is_used(
    split_stack: SplitStack,
) -> None:
    container = split_stack.engine.first("keys")
    assert isinstance(container, PostgresContainer)
    body = usual_body("driver").sent
    headers = {"Authorization": f"Bearer {sign_in(split_stack, 'staff').token}"}
    with httpx.Client(base_url=split_stack.address, headers=headers, trust_env=False, timeout=60) as client:

        def post(employee: str) -> int:
            return client.post(PATHS["driver"], json={**body, "id": employee}).status_code

        assert post("SPLIT-KEYS-1") == 201
        with psycopg.connect(container.owner_dsn) as owner:
            kept = owner.execute("SELECT id, epoch, secret FROM keys.kept").fetchall()
            logs = owner.execute("SELECT log_id, position FROM keys.logs").fetchall()
            owner.execute(EMPTIES)
        restart(split_stack)
        for name in APIS:
            keys = readiness(split_stack, name)
            assert not keys["ok"]
            assert "the key store lacks" in keys["detail"]
            assert "--keys-lost" in keys["detail"]
        assert post("SPLIT-KEYS-2") == 503
        with psycopg.connect(container.owner_dsn) as owner, owner.cursor() as cursor:
            assert owner.execute("SELECT id FROM keys.kept").fetchall() == []
            cursor.executemany("INSERT INTO keys.kept VALUES (%s, %s, %s)", kept)
            cursor.executemany("INSERT INTO keys.logs VALUES (%s, %s)", logs)
        for name in APIS:
            split_stack.engine.wait_until_healthy(name)
        assert post("SPLIT-KEYS-2") == 201
        for employee in ("SPLIT-KEYS-1", "SPLIT-KEYS-2"):
            found = client.get(f"{PATHS['driver']}/{employee}").raise_for_status().json()
            assert found["driver_by_pk"]["name"] == body["name"]
