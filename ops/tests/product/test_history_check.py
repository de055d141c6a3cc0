"""The history checker accepts consistent histories and finds every kind of violation."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.testing.product.history import Fail, History, Ok, Read
from ops.testing.product.history_check import Logged, violations


@dataclass
class Product:
    """A correct product and its clients, whose answers may get lost."""

    history: History = field(default_factory=History)
    log: list[Logged] = field(default_factory=list)

    def of(self, entity: str) -> list[Logged]:
        return [event for event in self.log if event.entity_id == entity]

    def command(self, client: str, entity: str, fates: list[str], *, remove: bool) -> None:
        """Send a command until it is answered; attempts are `ok`, `fail`, `lost` or `unheard`."""
        name = f"{client}-{len(self.history.requests)}"
        written = None
        for attempt, fate in enumerate(fates, start=1):
            request = self.history.invoke(client, name, attempt)
            if fate == "fail" and written is None:
                return self.history.complete(request, Fail(412))
            if fate != "unheard" and written is None:
                state = None if remove else {"n": len(self.log)}
                version = len(self.of(entity)) + 1
                written = Logged(len(self.log) + 1, "horse", entity, version, request.id, state)
                self.log.append(written)
            if fate in ("ok", "fail") and written is not None:
                output = None if written.state is None else written.version
                return self.history.complete(request, Ok(written.position, output, written.state))
        return None

    def read(self, client: str, entity: str) -> None:
        events = self.of(entity)
        if events and events[-1].state is not None:
            read = Read("horse", entity, events[-1].version, events[-1].state)
        else:
            read = Read("horse", entity, None)
        self.history.saw(client, read)


@st.composite
def products(draw: st.DrawFn) -> Product:
    product = Product()
    fates = st.lists(st.sampled_from(["ok", "fail", "lost", "unheard"]), min_size=1, max_size=4)
    for _ in range(draw(st.integers(0, 20))):
        client, entity = draw(st.sampled_from("ab")), draw(st.sampled_from("xy"))
        if draw(st.booleans()):
            product.read(client, entity)
        else:
            product.command(client, entity, draw(fates), remove=draw(st.integers(0, 3)) == 0)
    return product


def busy() -> Product:
    """Return a product with every kind of command and outcome."""
    product = Product()
    product.command("a", "x", ["unheard", "lost", "ok"], remove=False)
    product.command("a", "x", ["ok"], remove=False)
    product.command("b", "x", ["fail"], remove=False)
    product.command("b", "y", ["lost", "unheard"], remove=False)
    product.read("a", "x")
    product.read("b", "y")
    product.command("a", "x", ["ok"], remove=True)
    product.read("a", "x")
    product.command("a", "x", ["ok"], remove=False)
    return product


def found(product: Product) -> str:
    return "\n".join(violations(product.history, product.log))


@given(products())
def test_correct_histories_are_consistent(product: Product) -> None:
    assert not found(product)


def _appended(product: Product, request: str) -> None:
    product.log.append(Logged(len(product.log) + 1, "horse", "z", 1, request, {}))


def _answered(product: Product, **changes: Any) -> None:
    request = product.history.requests[3]
    assert isinstance(request.outcome, Ok)
    request.outcome = replace(request.outcome, **changes)


WRONG: dict[str, Callable[[Product], object]] = {
    "acknowledged and lost": lambda product: product.log.pop(),
    "doubled": lambda product: _appended(product, product.history.requests[3].id),
    "attempt 1 was refused, yet written": lambda product: _appended(product, product.history.requests[4].id),
    "without a request": lambda product: _appended(product, "unknown:1"),
    "answered position 9": lambda product: _answered(product, position=9),
    "answered version 7": lambda product: _answered(product, version=7),
    "the answered record differs": lambda product: _answered(product, record={"n": "another"}),
    "which does not exist": lambda product: product.history.saw("a", Read("horse", "x", 9, {})),
    "which differs from the log": lambda product: product.history.saw("a", Read("horse", "x", 4, {"n": 77})),
    "was followed by Read(entity='horse', entity_id='x', version=1": lambda product: product.history.saw(
        "a", Read("horse", "x", 1, product.log[0].state)
    ),
    "was followed by Read(entity='horse', entity_id='x', version=None": lambda product: product.history.saw(
        "a", Read("horse", "x", None)
    ),
}


@pytest.mark.parametrize("complaint", WRONG)
def test_impossible_answer_is_found(complaint: str) -> None:
    product = busy()
    assert not found(product)
    WRONG[complaint](product)
    assert complaint in found(product)


@pytest.mark.parametrize("fates", [["unheard", "unheard"], ["lost", "unheard"], ["unheard", "lost"]])
def test_unknown_outcomes_are_consistent_either_way(fates: list[str]) -> None:
    product = Product()
    product.command("a", "x", fates, remove=False)
    assert product.history.unknown == len(fates)
    assert not found(product)
