"""A conversation with the running product in which the model has every other say."""

import itertools
import re
from collections import Counter
from typing import Any, Final

import httpx
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from ops.base.http.record_etags import LOG_CHARACTERS
from ops.testing.product.bodies import Body
from ops.testing.product.client import Client, assert_agrees
from ops.testing.product.exchanges import Actor, Chosen, Command
from ops.testing.product.fields import ENTITIES, MARK
from ops.testing.product.fleet_model import FleetModel
from ops.testing.product.hostile import UNKNOWN_IDS
from ops.testing.product.whole import head_of
from ops.testing.stack import Stack

_MADE_ID: Final = {"trailer": "TRL", "horse": "HRS", "location": "LOC"}

_numbers = itertools.count(1)


class Conversation(RuleBasedStateMachine):
    """What the rules stand on. Nobody else may write meanwhile."""

    def __init__(self, stack: Stack, actors: tuple[Actor, Actor], tally: Counter[str]) -> None:
        """Begin a conversation.

        Args:
            stack: the running product.
            actors: two people who send commands.
            tally: counts runs, commands and events.
        """
        super().__init__()
        self.stack = stack
        self.actors = actors
        self.tally = tally
        self.client = Client(stack)
        self.model = FleetModel()
        self.example = next(_numbers)
        self.before = head_of(stack)
        self.agreed = True  # as far as the conversation has come
        self.keyed: list[Command] = []

    def teardown(self) -> None:
        """Check that nothing happened but what the model has seen."""
        self.client.http.close()
        if self.agreed:
            assert head_of(self.stack) == self.before + len(self.model.events)
        self.tally.update(runs=1, events=len(self.model.events))

    def send(self, data: st.DataObject, method: str, entity: str, **more: Any) -> None:
        """Send a command with or without conditions, by one of two people."""
        version = 1
        if "id" in more and (known := self.model.entities.get((entity, more["id"]))):
            version = known.version
        command = Command(
            method,
            entity,
            data.draw(st.sampled_from(self.actors), "actor"),
            key=f"{self.example}-{next(_numbers)}" if data.draw(st.booleans(), "with a key") else None,
            if_match=data.draw(self.tags(version), "If-Match") if method != "POST" else None,
            **more,
        )
        self.exchange(command)
        if command.key:
            self.keyed.append(command)

    def exchange(self, command: Command) -> None:
        """Send a command as it is; the product must answer what the model answers."""
        happened = len(self.model.events)
        self.agreed = False
        answer, chosen, position = self.client.send(command)
        if answer.status == 201 and not self.model.remembers(command):
            self.check_made_id(command, chosen)
        assert_agrees(answer, self.model.answer(command, chosen))
        if len(self.model.events) > happened:
            assert position == self.before + len(self.model.events)
        self.agreed = True
        self.tally.update(commands=1)

    def check_made_id(self, command: Command, chosen: Chosen) -> None:
        """Check that an id that the server made is a new one."""
        if command.body and not command.body.sent.get("id"):
            assert re.fullmatch(_MADE_ID[command.entity] + "-[0-9A-Z]{8}", chosen.id or "")
            assert (command.entity, chosen.id) not in self.model.entities

    def read(self, method: str, path: str, known: str | None) -> httpx.Response:
        """Read something; the answer must say that it is as new as what was written.

        Args:
            method: GET or HEAD.
            path: what.
            known: ETags of what the client has, or None.
        """
        headers = {"If-None-Match": known} if known else {}
        response = self.client.request(method, path, actor=self.actors[0], headers=headers)
        assert response.headers["cache-control"] == "private, no-cache, no-transform"
        assert response.headers["vary"] == "Authorization, Accept-Encoding"
        assert "fleetlog-consistency" not in response.headers
        return response

    def address(self, data: st.DataObject) -> tuple[str, str]:
        """Draw an entity of which something is known, or now and then one of which nothing is."""
        if mostly(data):
            return data.draw(st.sampled_from(list(self.model.entities)), "address")
        return data.draw(st.tuples(st.sampled_from(ENTITIES), st.sampled_from(UNKNOWN_IDS)), "address")

    def details(self, data: st.DataObject, entity: str, entity_id: str) -> dict[str, Any] | None:
        """Return what a client starts from that changes a record: mostly the record."""
        return self.model.details(entity, entity_id) if mostly(data) else None

    def identified(self, data: st.DataObject, entity: str, body: Body) -> Body:
        """Give the body a new id, where one may be given; else, as clients may, with an empty one or none."""
        if entity == "driver" or (entity == "horse" and data.draw(st.booleans(), "give an id")):
            return body.sending(id=self.new_id())
        no_id: list[dict[str, Any]] = [{}, {"id": None}, {"id": ""}]
        return body.sending(**data.draw(st.sampled_from(no_id)))

    def naming(self, data: st.DataObject, body: Body, entity_id: str) -> Body:
        """Give the body the address's id, as clients may; now and then with another one."""
        match data.draw(st.sampled_from(["no id", "no id", "its id", "another id"])):
            case "its id":
                return body.sending(id=entity_id)
            case "another id":
                return body.sending(id=f"{MARK}-other").refused("id")
        return body

    def new_id(self) -> str:
        """Return an id that nobody has."""
        return f"M{self.example}.{next(_numbers)}"

    @staticmethod
    def tags(version: int) -> st.SearchStrategy[str | None]:
        """Return conditions for an entity of some version: met, not met any more, not yet, never."""
        now, before, later = (f'"{number}"' for number in (version, max(version - 1, 1), version + 3))
        other_log = f'"{version}-{"f" * LOG_CHARACTERS}"'
        met = [None, None, None, now, now, f'"77", {now}', f"W/{now}", "*"]
        return st.sampled_from([*met, before, later, other_log, f"{before},{later}", '"x"', "x"])


def mostly(data: st.DataObject) -> bool:
    """Draw true, with few exceptions."""
    return data.draw(st.sampled_from([True] * 8 + [False]))
