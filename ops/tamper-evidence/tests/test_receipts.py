"""Receipts can be verified with the public key alone; changed ones are refused."""

import json
from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.tamper_evidence.receipts import BadReceipt, check_receipt, checkpoint_facts, event_facts
from ops.testing.sealed_logs import (
    KEY,
    OTHER_KEY,
    a_log_with_erasures,
    checkpoint_of,
    receipt_of,
)

ROWS: Final = a_log_with_erasures(20)
RECEIPT: Final = receipt_of(ROWS, 16)
PROVEN: Final = check_receipt(RECEIPT, KEY.verifying_key)
Parts = dict[str, Any]


def written(parts: Parts) -> str:
    return json.dumps(parts, indent=1) + "\n"


def statement(**changes: Any) -> Callable[[Parts], None]:
    """Have the key's holder say something else."""

    def change(parts: Parts) -> None:
        name, body = KEY.verifying_key.open(parts["note"]).split("\n", 1)
        parts["note"] = KEY.sign(f"{name}\n{json.dumps(json.loads(body) | changes)}\n")

    return change


def of(position: int, *names: str) -> Callable[[Parts], None]:
    """Take parts from the receipt of another event."""
    other = json.loads(receipt_of(ROWS, position))
    return lambda parts: parts.update({name: other[name] for name in names})


def test_receipt_is_verified_with_its_event_and_statement() -> None:
    said, event, checkpoint = PROVEN
    assert event == ROWS[15]
    assert checkpoint == checkpoint_of(ROWS)
    assert said["event"] == event_facts(event)
    assert said["checkpoint"] == checkpoint_facts(checkpoint)
    assert said["events"] == {"sealed": 5, "in_the_clear": 0}
    assert event.originator_id not in KEY.verifying_key.open(json.loads(RECEIPT)["note"])


@pytest.mark.parametrize(
    ("tamper", "fault"),
    [
        (lambda parts: parts.update(note=parts["note"].replace("asked", "askeb", 1)), "statement cannot be"),
        (lambda parts: parts.update(note=parts["checkpoint"]), "not a receipt"),
        (lambda parts: parts.update(checkpoint=parts["note"]), "checkpoint cannot be trusted"),
        (lambda parts: parts.update(checkpoint=checkpoint_of(ROWS).signed(OTHER_KEY)), "not signed"),
        (lambda parts: parts.update(checkpoint=checkpoint_of(ROWS[:19]).signed(KEY)), "position 16 does not"),
        (lambda parts: parts["proof"].reverse(), "position 16 does not match"),
        (lambda parts: parts["event"].update(originator_id="driver:EMP-9"), "position 16 does not match"),
        (lambda parts: parts["event"].update(topic="driver.removed"), "position 16 does not match"),
        (of(17, "event", "proof"), "not about the same record"),
        (of(17, "note"), "not about the same record"),
        (of(19, "event", "proof"), "about another event"),
        (of(15, "event", "proof", "note"), "erases nothing"),
        (statement(keys=[]), "key that its statement does not list"),
        (statement(log="fleetlog/4567"), "not of the same log"),
        (statement(checkpoint={"size": 19, "root": ""}), "not of the same log"),
        (lambda parts: parts.update(more="trust me"), "not a receipt as it was issued"),
        (lambda parts: parts.pop("proof"), "not a receipt as it was issued"),
    ],
)
def test_changed_receipt_is_refused_with_a_reason(tamper: Callable[[Parts], Any], fault: str) -> None:
    parts = json.loads(RECEIPT)
    tamper(parts)
    with pytest.raises(BadReceipt, match=fault):
        check_receipt(written(parts), KEY.verifying_key)


@given(at=st.integers(0, len(RECEIPT) - 1), character=st.characters(codec="utf-8"))
def test_any_changed_character_is_detected(at: int, character: str) -> None:
    changed = RECEIPT[:at] + character + RECEIPT[at + 1 :]
    if changed == RECEIPT:
        return
    with pytest.raises(BadReceipt):
        check_receipt(changed, KEY.verifying_key)
