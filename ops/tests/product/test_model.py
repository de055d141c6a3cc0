"""The running product against a plain model: answers and read tables are those of the model."""

import itertools
import re
from collections import Counter
from dataclasses import replace
from typing import Any, Final

import httpx
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from ops.base.http.record_etags import LOG_CHARACTERS
from ops.testing.product.bodies import Body, bad_bodies, good_bodies, usual_body
from ops.testing.product.client import (
    Client,
    assert_agrees,
    assert_same_record,
    read_answer,
    version_of,
)
from ops.testing.product.exchanges import PATHS, Actor, Answer, Chosen, Command
from ops.testing.product.fields import ENTITIES, MARK
from ops.testing.product.fleet_model import FleetModel
from ops.testing.product.read_tables import assert_read_tables_match_log, head_of
from ops.testing.soak import suite_and_soak
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration

BAD_IDS: Final[tuple[Any, ...]] = (
    "-a", ".a", "a b", "a/b", "x" * 65, "é", "a\n", "add", "edit", "import", 7, True, ["a"], {},
)  # fmt: skip
UNKNOWN_IDS: Final = ("nobody", "add", "edit", "import", "x" * 65, "-a", "a%20b", "%C3%A9", "%FF")
ID_PREFIXES: Final = {"trailer": "TRL", "horse": "HRS", "location": "LOC"}

entities = st.sampled_from(ENTITIES)
_numbers = itertools.count(1)


def mostly(data: st.DataObject) -> bool:
    """Draw true eight times out of nine."""
    return data.draw(st.sampled_from([True] * 8 + [False]))


class FleetMachine(RuleBasedStateMachine):
    """Sends random commands to the running product and to the model. No other client may write."""

    def __init__(self, stack: Stack, actors: tuple[Actor, Actor], tally: Counter[str]) -> None:
        super().__init__()
        self.stack = stack
        self.actors = actors
        self.tally = tally
        self.client = Client(stack)
        self.model = FleetModel()
        self.example = next(_numbers)
        self.before = head_of(stack)
        self.agreed = True
        self.keyed: list[Command] = []
        # ETag of each list at its last read, and the number of events of its entity type then.
        self.seen: dict[str, tuple[str, int]] = {}

    def teardown(self) -> None:
        """Check that the log has no further events than the model's."""
        self.client.http.close()
        if self.agreed:
            assert head_of(self.stack) == self.before + len(self.model.events)
        self.tally.update(runs=1, events=len(self.model.events))

    def send(self, data: st.DataObject, method: str, entity: str, **more: Any) -> None:
        """Send a command with or without conditions, by one of two users."""
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
        """Send a command to the product and the model, and compare the answers."""
        happened = len(self.model.events)
        self.agreed = False
        answer, chosen, position = self.client.send(command)
        if answer.status == 201 and not self.model.remembers(command):
            self.check_generated_id(command, chosen)
        assert_agrees(answer, self.model.answer(command, chosen))
        if len(self.model.events) > happened:
            assert position == self.before + len(self.model.events)
        self.agreed = True
        self.tally.update(commands=1)

    def check_generated_id(self, command: Command, chosen: Chosen) -> None:
        if command.body and not command.body.sent.get("id"):
            assert re.fullmatch(ID_PREFIXES[command.entity] + "-[0-9A-Z]{8}", chosen.id or "")
            assert (command.entity, chosen.id) not in self.model.entities

    def read(self, method: str, path: str, known: str | None) -> httpx.Response:
        """Send a query, with `If-None-Match` if there is one; its answer must not be stale."""
        headers = {"If-None-Match": known} if known else {}
        response = self.client.request(method, path, actor=self.actors[0], headers=headers)
        assert response.headers["cache-control"] == "private, no-cache, no-transform"
        assert response.headers["vary"] == "Authorization, Accept-Encoding"
        assert "fleetlog-consistency" not in response.headers
        return response

    def address(self, data: st.DataObject) -> tuple[str, str]:
        """Draw type and id of a known entity, or now and then of an unknown one."""
        if mostly(data):
            return data.draw(st.sampled_from(list(self.model.entities)), "address")
        return data.draw(st.tuples(st.sampled_from(ENTITIES), st.sampled_from(UNKNOWN_IDS)), "address")

    def details(self, data: st.DataObject, entity: str, entity_id: str) -> dict[str, Any] | None:
        """Return the details from which a client starts a change: mostly the record's."""
        return self.model.details(entity, entity_id) if mostly(data) else None

    def identified(self, data: st.DataObject, entity: str, body: Body) -> Body:
        """Add a new id where clients may choose one, or otherwise an empty id or none."""
        if entity == "driver" or (entity == "horse" and data.draw(st.booleans(), "give an id")):
            return body.sending(id=self.new_id())
        no_id: list[dict[str, Any]] = [{}, {"id": None}, {"id": ""}]
        return body.sending(**data.draw(st.sampled_from(no_id)))

    def naming(self, data: st.DataObject, body: Body, entity_id: str) -> Body:
        """Add no id, the id of the path, or now and then another one, which is invalid."""
        match data.draw(st.sampled_from(["no id", "no id", "its id", "another id"])):
            case "its id":
                return body.sending(id=entity_id)
            case "another id":
                return body.sending(id=f"{MARK}-other").refused("id")
        return body

    def new_id(self) -> str:
        return f"M{self.example}.{next(_numbers)}"

    @staticmethod
    def tags(version: int) -> st.SearchStrategy[str | None]:
        """Values of If-Match for an entity of a version: current, outdated, future and malformed ones."""
        now, before, later = (f'"{number}"' for number in (version, max(version - 1, 1), version + 3))
        other_log = f'"{version}-{"f" * LOG_CHARACTERS}"'
        met = [None, None, None, now, now, f'"77", {now}', f"W/{now}", "*"]
        return st.sampled_from([*met, before, later, other_log, f"{before},{later}", '"x"', "x"])

    # Registrations

    @initialize()
    def register_one_of_each(self) -> None:
        for entity in ENTITIES:
            body = usual_body(entity).sending(**{"id": self.new_id()} if entity == "driver" else {})
            self.exchange(Command("POST", entity, self.actors[0], body=body))

    @rule(data=st.data(), entity=entities)
    def register(self, data: st.DataObject, entity: str) -> None:
        self.send(data, "POST", entity, body=self.identified(data, entity, data.draw(good_bodies(entity))))

    @rule(data=st.data(), entity=entities)
    def register_badly(self, data: st.DataObject, entity: str) -> None:
        self.send(data, "POST", entity, body=self.identified(data, entity, data.draw(bad_bodies(entity))))

    @rule(data=st.data(), entity=entities)
    def register_with_a_bad_id(self, data: st.DataObject, entity: str) -> None:
        body = data.draw(good_bodies(entity))
        if entity == "driver" and data.draw(st.booleans()):
            body = body.refused("id", "Employee number is required")
        elif entity in ("trailer", "location"):
            body = body.sending(id=self.new_id()).refused("id")
        else:
            body = body.sending(id=data.draw(st.sampled_from(BAD_IDS))).refused("id")
        self.send(data, "POST", entity, body=body)

    @rule(data=st.data())
    def register_a_used_id(self, data: st.DataObject) -> None:
        """A conflict, or a new registration of a removed record."""
        used = [address for address in self.model.entities if address[0] in ("driver", "horse")]
        entity, entity_id = data.draw(st.sampled_from(used))
        self.send(data, "POST", entity, body=data.draw(good_bodies(entity)).sending(id=entity_id))

    # Changes

    @rule(data=st.data())
    def change(self, data: st.DataObject) -> None:
        entity, entity_id = self.address(data)
        body = data.draw(good_bodies(entity, self.details(data, entity, entity_id)))
        self.send(data, "PUT", entity, id=entity_id, body=self.naming(data, body, entity_id))

    @rule(data=st.data())
    def change_badly(self, data: st.DataObject) -> None:
        entity, entity_id = self.address(data)
        self.send(data, "PUT", entity, id=entity_id, body=data.draw(bad_bodies(entity)))

    @rule(data=st.data())
    def put_unchanged(self, data: st.DataObject) -> None:
        """Send the record itself, which appends nothing."""
        entity, entity_id = self.address(data)
        record, details = self.model.single(entity, entity_id).record, self.model.details(entity, entity_id)
        if record is not None and details is not None:
            happened = len(self.model.events)
            self.send(data, "PUT", entity, id=entity_id, body=Body(record, details, {}))
            assert len(self.model.events) == happened

    @rule(
        data=st.data(),
        values=st.lists(st.sampled_from([True, 1, 1.0, False, 0, "1"]), min_size=2, max_size=4),
    )
    def change_the_type_of_a_value(self, data: st.DataObject, values: list[Any]) -> None:
        """Change between JSON values: true is not 1, but 1 is 1.0."""
        horses = [entity_id for entity, entity_id in self.model.entities if entity == "horse"]
        horse = data.draw(st.sampled_from(horses))
        for value in values:
            body = usual_body("horse", metadata={"flag": value})
            self.exchange(Command("PUT", "horse", self.actors[0], horse, body))

    # Removals and retries

    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        entity, entity_id = self.address(data)
        self.send(data, "DELETE", entity, id=entity_id)

    @rule(data=st.data())
    def remove_twice_in_a_row(self, data: st.DataObject) -> None:
        """Send a removal twice, as the specification's clients do."""
        entity, entity_id = self.address(data)
        for _ in range(2):
            self.exchange(Command("DELETE", entity, self.actors[0], entity_id))

    @precondition(lambda self: self.keyed)
    @rule(data=st.data())
    def repeat(self, data: st.DataObject) -> None:
        self.exchange(data.draw(st.sampled_from(self.keyed)))

    @precondition(lambda self: self.keyed)
    @rule(data=st.data(), how=st.sampled_from(["with another body", "by another", "to remove"]))
    def use_a_key_again(self, data: st.DataObject, how: str) -> None:
        command = data.draw(st.sampled_from(self.keyed))
        if how == "with another body" and command.body:
            command = replace(
                command, body=data.draw(good_bodies(command.entity)).identified_as(command.body)
            )
        elif how == "by another":
            command = replace(command, actor=self.actors[command.actor == self.actors[0]])
        elif how == "to remove" and command.method == "PUT":
            command = replace(command, method="DELETE", body=None)
        self.exchange(command)

    # Queries

    @rule(data=st.data(), method=st.sampled_from(["GET", "GET", "HEAD"]))
    def read_one(self, data: st.DataObject, method: str) -> None:
        entity, entity_id = self.address(data)
        expected = self.model.single(entity, entity_id)
        path = f"{PATHS[entity]}/{entity_id}"
        etag = self.read("HEAD", path, None).headers.get("etag", '"none"')
        tags = [None, etag, f"W/{etag}", f'"x", {etag}', '"x"', f'"{expected.version}"', "*"]
        known = data.draw(st.sampled_from(tags), "If-None-Match")
        response = self.read(method, path, known)
        if expected.version and known and (known == "*" or etag in known):
            expected = Answer(304, expected.version)
        if method == "GET" or expected.status == 304:
            assert_agrees(read_answer(entity, response), expected)
        else:
            assert (response.status_code, response.content) == (expected.status, b"")
            if expected.version:
                assert version_of(response) == expected.version

    @rule(data=st.data(), entity=entities)
    def read_list(self, data: st.DataObject, entity: str) -> None:
        etag, happened = self.seen.get(entity, ('"0-0"', -1))
        known = data.draw(st.sampled_from([None, etag, f"W/{etag}", f'"x", {etag}', '"x"']), "If-None-Match")
        response = self.read("GET", PATHS[entity], known)
        unchanged = self.model.events.count(entity) == happened
        if known and etag in known and unchanged:
            assert response.status_code == 304
        else:
            assert response.status_code == 200
            items = {item["id"]: item for item in response.json()["content"]}
            assert list(items) == sorted(items)
            expected = self.model.items(entity)
            for of, entity_id in self.model.entities:
                if of == entity:
                    assert_same_record(items.get(entity_id), expected.get(entity_id))
        match = re.fullmatch(r'"[0-9a-f]{32}-[0-9]+-[0-9]+-([0-9]+)"', response.headers["etag"])
        assert match
        if entity in self.model.events:
            last = len(self.model.events) - self.model.events[::-1].index(entity)
            assert int(match[1]) == self.before + last
        self.seen[entity] = (response.headers["etag"], self.model.events.count(entity))


@pytest.mark.parametrize("examples", suite_and_soak(10, 300))
def test_the_product_answers_as_its_model_does(
    stack: Stack, asha: Actor, rohan: Actor, examples: int
) -> None:
    tally: Counter[str] = Counter()

    class Machine(FleetMachine):
        def __init__(self) -> None:
            super().__init__(stack, (asha, rohan), tally)

    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=50,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
            phases=[Phase.reuse, Phase.generate],  # shrinking takes minutes
        ),
    )
    assert_read_tables_match_log(stack)
    output = ", ".join(f"{count} {name}" for name, count in sorted(tally.items()))
    print(f"{output}: answers and read tables as in the model")
