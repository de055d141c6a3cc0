"""The whole product against a plain model: whatever is sent, answers and read tables are the model's."""

import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule, run_state_machine_as_test

from ops.testing.product.bodies import Body, bad_bodies, good_bodies, usual_body
from ops.testing.product.client import (
    assert_agrees,
    assert_same_record,
    read_answer,
    read_problem,
    version_of,
)
from ops.testing.product.conversation import Conversation
from ops.testing.product.exchanges import PATHS, Actor, Answer, Command
from ops.testing.product.fields import ENTITIES
from ops.testing.product.hostile import BAD_IDS, BAD_KEYS, BAD_TOKENS, HOSTILE_BODIES
from ops.testing.product.whole import assert_whole
from ops.testing.soak import suite_and_soak
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration

entities = st.sampled_from(ENTITIES)


class FleetMachine(Conversation):
    """Does to the running product and to the model whatever comes to hypothesis's mind."""

    def __init__(self, stack: Stack, actors: tuple[Actor, Actor], tally: Counter[str]) -> None:
        super().__init__(stack, actors, tally)
        # Of each list that was read: its ETag, and how many events of its entity type there were.
        self.seen: dict[str, tuple[str, int]] = {}

    # Registering

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
    def register_an_id_that_was_used(self, data: st.DataObject) -> None:
        """A conflict, or another life of what was removed."""
        used = [address for address in self.model.entities if address[0] in ("driver", "horse")]
        entity, entity_id = data.draw(st.sampled_from(used))
        self.send(data, "POST", entity, body=data.draw(good_bodies(entity)).sending(id=entity_id))

    # Changing

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
    def put_back_what_was_answered(self, data: st.DataObject) -> None:
        """Changes nothing."""
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
        """True is not 1, but 1 is 1.0."""
        horses = [entity_id for entity, entity_id in self.model.entities if entity == "horse"]
        horse = data.draw(st.sampled_from(horses))
        for value in values:
            body = usual_body("horse", metadata={"flag": value})
            self.exchange(Command("PUT", "horse", self.actors[0], horse, body))

    # Removing, and sending again

    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        entity, entity_id = self.address(data)
        self.send(data, "DELETE", entity, id=entity_id)

    @rule(data=st.data())
    def remove_twice_in_a_row(self, data: st.DataObject) -> None:
        """As the specification's clients do."""
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

    # Asking

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

    # Being hostile: nothing of this may leave a trace

    @rule(data=st.data(), hostile=st.sampled_from(HOSTILE_BODIES))
    def send_a_hostile_body(self, data: st.DataObject, hostile: tuple[bytes, str, int]) -> None:
        content, content_type, status = hostile
        entity, entity_id = self.address(data)
        headers = {"Content-Type": content_type} if content_type else {}
        for method, path in (("POST", PATHS[entity]), ("PUT", f"{PATHS[entity]}/{entity_id}")):
            response = self.client.request(
                method, path, actor=self.actors[0], content=content, headers=headers
            )
            assert response.status_code == status
            read_problem(response)

    @rule(entity=entities, key=st.sampled_from(BAD_KEYS))
    def send_a_bad_idempotency_key(self, entity: str, key: str) -> None:
        headers = {"Idempotency-Key": key}
        body = usual_body(entity).sending(**{"id": self.new_id()} if entity == "driver" else {})
        response = self.client.request(
            "POST", PATHS[entity], actor=self.actors[0], headers=headers, json=body.sent
        )
        assert response.status_code == 400
        read_problem(response)

    @rule(data=st.data(), token=st.sampled_from(BAD_TOKENS))
    def come_without_a_good_token(self, data: st.DataObject, token: str | None) -> None:
        entity, entity_id = self.address(data)
        headers = {"Authorization": token} if token else {}
        single = f"{PATHS[entity]}/{entity_id}"
        for method, path in (("GET", single), ("DELETE", single), ("PUT", single), ("POST", PATHS[entity])):
            response = self.client.request(method, path, actor=None, headers=headers)
            assert response.status_code == 401
            assert response.headers["www-authenticate"].startswith("Bearer")
            read_problem(response)


def try_against_model(stack: Stack, actors: tuple[Actor, Actor], *, examples: int, steps: int) -> None:
    """Try so many random sequences of so many steps.

    What fails is not made smaller: that would take minutes, and an answer is told beside the expected one.
    """
    tally: Counter[str] = Counter()

    class Machine(FleetMachine):
        def __init__(self) -> None:
            super().__init__(stack, actors, tally)

    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
            phases=[Phase.reuse, Phase.generate],
        ),
    )
    assert_whole(stack)
    output = ", ".join(f"{count} {name}" for name, count in sorted(tally.items()))
    print(f"{output}: answers and read tables as the model has them")


@pytest.mark.parametrize("examples", suite_and_soak(10, 300))
def test_the_product_answers_as_its_model_does(
    stack: Stack, asha: Actor, rohan: Actor, examples: int
) -> None:
    try_against_model(stack, (asha, rohan), examples=examples, steps=50)
