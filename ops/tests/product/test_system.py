"""What operators see of the running product; frontend/e2e/system.spec.ts has its workers do something."""

from typing import Any

import pytest

from ops.base.records.operations import PROJECTIONS
from ops.testing.product.client import Client, sign_in
from ops.testing.product.exchanges import Actor
from ops.testing.stack import Stack
from ops.testing.waiting import wait_for

pytestmark = pytest.mark.integration

SYSTEM = "/api/v1/system"


@pytest.fixture(scope="module")
def omar(stack: Stack) -> Actor:
    """An operator."""
    return sign_in(stack, "operator")


def look(client: Client, actor: Actor) -> dict[str, Any]:
    told: dict[str, Any] = client.request("GET", SYSTEM, actor=actor).raise_for_status().json()
    return told


def test_every_service_is_there_and_every_projection_is_led(client: Client, omar: Actor) -> None:
    def is_whole() -> bool:
        told = look(client, omar)
        ready = {service["name"] for service in told["services"] if service["health"] == "ready"}
        led = {one["name"] for one in told["projections"] if one["leader"] and one["state"] == "following"}
        return ready >= {"command-api", "query-api", "projections"} and led == {*PROJECTIONS}

    wait_for(is_whole)
    wait_for(lambda: look(client, omar)["seal"] is not None)
    told = look(client, omar)
    assert told["release"] == told["services"][0]["release"]
    assert told["storage"]["database_bytes"] > 0
    assert client.request("GET", f"{SYSTEM}/state", actor=omar).json() == {"state": told["state"]}
