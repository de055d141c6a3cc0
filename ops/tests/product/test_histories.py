"""Histories of the running product: what commands do is what queries tell, and any version comes back."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ops.testing.product.bodies import usual_body
from ops.testing.product.client import Client, version_of
from ops.testing.product.exchanges import PATHS, Actor, unwrap
from ops.testing.product.json_values import canonical
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration

HORSES = PATHS["horse"]
TIMES = ("created_at", "updated_at")
steps = st.lists(
    st.tuples(st.sampled_from(["put", "put", "delete", "register"]), st.sampled_from(["A", "B", None])),
    min_size=1,
    max_size=6,
)


class Horse:
    """One horse of the running product, changed and asked about over HTTP."""

    def __init__(self, client: Client, actor: Actor, entity_id: str) -> None:
        self.id = entity_id
        self._client = client
        self._actor = actor
        self.send("POST", HORSES, owner=None)

    def send(self, method: str, path: str, *, owner: str | None = None) -> None:
        body = usual_body("horse", owner=owner).sending(id=self.id).sent
        more: dict[str, Any] = {} if method == "DELETE" else {"json": body}
        self._client.request(method, path, actor=self._actor, **more)

    def do(self, action: str, owner: str | None) -> None:
        match action:
            case "register":
                self.send("POST", HORSES, owner=owner)  # a conflict, unless it was removed
            case "put":
                self.send("PUT", self.address, owner=owner)
            case _:
                self.send("DELETE", self.address)

    @property
    def address(self) -> str:
        return f"{HORSES}/{self.id}"

    def restore(self, version: int) -> int:
        """Bring a version back and return which one it has become."""
        answer = self._client.request(
            "POST", f"{self.address}/restore", actor=self._actor, json={"version": version}
        )
        assert answer.status_code == 200, answer.text
        return version_of(answer)

    def ask(self, what: str = "", **parameters: Any) -> Any:
        answer = self._client.request("GET", self.address + what, actor=self._actor, params=parameters)
        assert "fleetlog-consistency" not in answer.headers
        return answer.json() if answer.status_code == 200 else None


@pytest.fixture
def numbers() -> Iterator[int]:
    return iter(range(1_000_000))


def without_times(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in TIMES}


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(happened=steps)
def test_every_version_that_was_there_can_be_seen_compared_and_brought_back(
    stack: Stack, asha: Actor, client: Client, numbers: Iterator[int], happened: list[tuple[str, str | None]]
) -> None:
    horse = Horse(client, asha, f"PAST-{next(numbers)}")
    for action, owner in happened:
        horse.do(action, owner)
    history = horse.ask("/history")["content"]
    for change in history:
        then = horse.ask(version=change["version"])
        assert canonical(then) == canonical(horse.ask(as_of=change["moment"]))
        if then is None:
            assert change["type"] == "horse.removed"
            continue
        restored = horse.restore(change["version"])
        diff = horse.ask("/diff", **{"from": change["version"], "to": restored})
        assert diff["changes"] == []
        now = horse.ask()
        assert without_times(unwrap("horse", now)) == without_times(unwrap("horse", then))
    longer = horse.ask("/history")["content"]
    assert longer[: len(history)] == history, "what happened stays as it was"
    trail = client.request(
        "GET", "/api/v1/audit", actor=asha, params={"entity": "horse", "id": horse.id}
    ).json()["content"]
    assert [change["position"] for change in trail] == [change["position"] for change in longer]
