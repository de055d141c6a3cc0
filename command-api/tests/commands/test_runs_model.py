"""Two users send batches as well: no undo of a batch loses a later change."""

import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, Final

from command_api_testing.two_people import (
    PLACE,
    THERE,
    Parts,
    TwoPeople,
    details_of,
    people,
    some_parts,
    words,
)
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule
from starlette.requests import Request

from command_api.domain.events import Event
from command_api.http.batch import BatchRow, Run
from command_api.http.responses import Disclosure
from ops.base.permissions import Permission
from ops.base.sign_in import Actor, VerifiedToken

IDS: Final = ("L1", "L2", "L3")
DONE: Final = ("new", "changed", "removed")

some_ids = st.lists(st.sampled_from(IDS), min_size=1, unique=True)
all_parts = st.fixed_dictionaries({"name": words, "country": words, "attributes.city": words})


def patch_of(parts: Parts) -> dict[str, Any]:
    members = {name.partition(".")[2]: value for name, value in parts.items() if "." in name}
    plain = {name: value for name, value in parts.items() if "." not in name}
    return {**plain, **({"attributes": members} if members else {})}


class Unrecorded(Disclosure):
    """A disclosure that shows everything and records nothing."""

    def record(self, entity_id: str, fields: Iterable[str]) -> bool:
        """See `Disclosure`."""
        return True


class Runs(TwoPeople):
    """Three records with single commands and batches."""

    def __init__(self) -> None:
        super().__init__()
        self.runs: list[dict[str, int]] = []
        """The versions that each batch has created, by record."""

    @initialize(person=people)
    def begin(self, person: str) -> None:
        for self.id in IDS:
            self.register(
                person, {"name": "a", "country": "a", "attributes.city": "a", "attributes.state": "a"}
            )

    @rule(entity_id=st.sampled_from(IDS))
    def turn_to(self, entity_id: str) -> None:
        self.id = entity_id

    @rule(person=people, ids=some_ids, parts=all_parts)
    def bring(self, person: str, ids: list[str], parts: Parts) -> None:
        values = {**details_of({"attributes.state": "a", **parts}), **patch_of(parts)}
        rows = [{"id": one, "values": values} for one in ids]
        before = self.all_states()
        tried = self.send_rows(person, rows, dry_run=True)
        assert self.all_states() == before
        results = self.send_rows(person, rows)
        assert self.summary(results) == self.summary(tried)
        for row in results:
            now = self.all_states()[row["id"]][-1]
            if before[row["id"]][-1][THERE]:
                assert {part: now[part] for part in parts} == parts
            else:
                assert row["outcome"] == "refused", "the server gives locations their ids"

    @rule(person=people, ids=some_ids, parts=some_parts, between=st.data())
    def change_many(self, person: str, ids: list[str], parts: Parts, between: st.DataObject) -> None:
        self.do_many(person, [{"id": one, "do": "change", "values": patch_of(parts)} for one in ids], between)

    @rule(person=people, ids=some_ids, between=st.data())
    def remove_many(self, person: str, ids: list[str], between: st.DataObject) -> None:
        self.do_many(person, [{"id": one, "do": "remove"} for one in ids], between)

    @precondition(lambda self: self.runs)
    @rule(person=people, data=st.data())
    def undo_run(self, person: str, data: st.DataObject) -> None:
        made = data.draw(st.sampled_from(self.runs))
        events, states = self.all_events(), self.all_states()
        rows = [{"id": one, "do": "undo", "version": version} for one, version in made.items()]
        tried = self.send_rows(person, rows, dry_run=True)
        assert self.all_states() == states
        results = self.send_rows(person, rows)
        assert self.summary(results) == self.summary(tried)
        for row in results:
            self.id, version = row["id"], made[row["id"]]
            before = states[self.id]
            changed = self.changed(before)
            for part in changed:
                assert self.is_as_left_by(version, part, events[self.id], before), "set by a later event"
                assert self.states()[-1][part] == before[version - 1][part]
            if row["outcome"] == "conflict":
                mine = self.set_by(before, version)
                assert any(self.set_by(before, later) & mine for later in range(version + 1, len(before)))
            assert bool(changed) <= (row["outcome"] in DONE)
            self.names_what_it_undoes(events[self.id], version)

    def do_many(self, person: str, rows: list[dict[str, Any]], between: st.DataObject) -> None:
        """Send a dry run, let the other user change records, then send the rows."""
        tried = {row["id"]: row for row in self.send_rows(person, rows, dry_run=True)}
        others = between.draw(
            st.lists(st.sampled_from(IDS), max_size=2, unique=True), label="changed meanwhile"
        )
        for self.id in others:
            if self.states()[-1][THERE]:
                self.change("dev|ben", {"name": f"after {self.version}"})
        before = self.all_states()
        # As screens do: rows without effect are not sent.
        wanted = [row for row in rows if tried[row["id"]]["outcome"] in DONE]
        results = self.send_rows(person, [{**row, "version": tried[row["id"]]["version"]} for row in wanted])
        for row in results:
            is_untouched = self.all_states()[row["id"]] == before[row["id"]]
            if row["id"] in others:
                assert is_untouched
                assert row["outcome"] == "conflict"
            else:
                assert row["outcome"] == tried[row["id"]]["outcome"]
                assert not is_untouched

    def send_rows(
        self, person: str, rows: list[dict[str, Any]], *, dry_run: bool = False
    ) -> list[dict[str, Any]]:
        token = VerifiedToken(Actor(person, person), datetime.now(UTC), frozenset(Permission))
        run = Run(
            definition=PLACE,
            handler=self.handler,
            context=self.context(person),
            log_id="0" * 32,
            is_masked=lambda _: False,
            permit=lambda _: None,
            disclosure=Unrecorded(Request({"type": "http"}), token, PLACE),
            batch=uuid.uuid4(),
            source=None,
            dry_run=dry_run,
        )
        outcomes = self.runner.run(run.execute([BatchRow(key=row["id"], **row) for row in rows]))
        results = [outcome.model_dump() for outcome in outcomes]
        made = {row["id"]: row["version"] for row in results if row["outcome"] in DONE}
        if made and not dry_run:
            self.runs.append(made)
            events = self.all_events()
            assert {events[one][version - 1].metadata.batch for one, version in made.items()} == {
                str(run.batch)
            }
        return results

    @staticmethod
    def summary(rows: list[dict[str, Any]]) -> list[tuple[str, str, list[str]]]:
        return [(row["id"], row["outcome"], row["fields"]) for row in rows]

    def each(self) -> Iterator[str]:
        """Select each record in turn, and the first again."""
        at = self.id
        for self.id in IDS:
            yield self.id
        self.id = at

    def all_states(self) -> dict[str, list[Parts]]:
        return {one: self.states() for one in self.each()}

    def all_events(self) -> dict[str, list[Event]]:
        return {one: list(self.events) for one in self.each()}


TestRuns = Runs.TestCase
TestRuns.settings = settings(deadline=None, max_examples=60, stateful_step_count=12)
