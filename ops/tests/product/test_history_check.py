"""The history checker accepts a consistent history and finds every kind of violation."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ops.testing.product.history import Fail, Ok, OperationHistory, Read
from ops.testing.product.history_check import Logged, violations


def answered(history: OperationHistory, **changes: Any) -> None:
    """Change the answer to the second command."""
    request = history.requests[1]
    assert isinstance(request.outcome, Ok)
    request.outcome = replace(request.outcome, **changes)


def logged(position: int, command: str) -> Logged:
    return Logged(position, "horse", "x", position, f"{command}:1", {"n": position})


WRONG: dict[str, Callable[[OperationHistory, list[Logged]], object]] = {
    "acknowledged and lost": lambda _, log: log.pop(1),
    "doubled": lambda _, log: log.append(logged(4, "C2")),
    "attempt 1 was refused, yet written": lambda _, log: log.append(logged(4, "C4")),
    "without a request": lambda _, log: log.append(logged(4, "unknown")),
    "answered position 3": lambda history, _: answered(history, position=3),
    "answered version 7": lambda history, _: answered(history, version=7),
    "the answered record differs": lambda history, _: answered(history, record={"n": "another"}),
    "which does not exist": lambda history, _: history.saw("a", Read("horse", "x", 9, {})),
    "which differs from the log": lambda history, _: history.saw("a", Read("horse", "x", 3, {"n": 77})),
    "was followed by Read(entity='horse', entity_id='x', version=1": lambda history, _: history.saw(
        "a", Read("horse", "x", 1, {"n": 1})
    ),
    "was followed by Read(entity='horse', entity_id='x', version=None": lambda history, _: history.saw(
        "a", Read("horse", "x", None)
    ),
}


@pytest.mark.parametrize("complaint", WRONG)
def test_impossible_answer_is_found(complaint: str) -> None:
    history, log = OperationHistory(), [logged(number, f"C{number}") for number in (1, 2, 3)]
    for number, event in enumerate(log[:2], 1):
        request = history.invoke("a", f"C{number}")
        history.complete(request, Ok(event.position, event.version, event.state))
    history.invoke("b", "C3")  # executed, but not answered
    history.complete(history.invoke("b", "C4"), Fail(412))
    history.saw("a", Read("horse", "x", 3, {"n": 3}))
    assert not list(violations(history, log))
    WRONG[complaint](history, log)
    assert complaint in "\n".join(violations(history, log))
