"""That a receipt proves an erasure to somebody with nothing but the key, and a changed one does not."""

import json
from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.tamper_evidence.receipts import BadReceipt, check_receipt, told_of_checkpoint, told_of_event
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


def test_a_receipt_proves_that_an_event_is_in_the_log_and_what_the_key_s_holder_says_of_it() -> None:
    said, event, checkpoint = PROVEN
    assert event == ROWS[15]
    assert checkpoint == checkpoint_of(ROWS)
    assert said["event"] == told_of_event(event)
    assert said["checkpoint"] == told_of_checkpoint(checkpoint)
    assert said["events"] == {"sealed": 5, "in_the_clear": 0}
    assert event.originator_id not in KEY.verifying_key.open(json.loads(RECEIPT)["note"])


@pytest.mark.parametrize(
    ("tamper", "fault"),
    [
        (lambda parts: parts.update(note=parts["note"].replace("asked", "askeb", 1)), "statement cannot be"),
        (lambda parts: parts.update(note=parts["checkpoint"]), "not a receipt"),
        (lambda parts: parts.update(checkpoint=parts["note"]), "checkpoint cannot be trusted"),
        (lambda parts: parts.update(checkpoint=checkpoint_of(ROWS).signed(OTHER_KEY)), "not signed"),
        (lambda parts: parts.update(checkpoint=checkpoint_of(ROWS[:19]).signed(KEY)), "position 16 is not"),
        (lambda parts: parts["proof"].reverse(), "position 16 is not"),
        (lambda parts: parts["event"].update(originator_id="driver:EMP-9"), "position 16 is not"),
        (lambda parts: parts["event"].update(topic="driver.removed"), "position 16 is not"),
        (of(17, "event", "proof"), "not about the same record"),
        (of(17, "note"), "not about the same record"),
        (of(19, "event", "proof"), "about another event"),
        (of(15, "event", "proof", "note"), "erases nothing"),
        (statement(keys=[]), "key of which it says nothing"),
        (statement(log="fleetlog/4567"), "not of the same log"),
        (statement(checkpoint={"size": 19, "root": ""}), "not of the same log"),
        (lambda parts: parts.update(more="trust me"), "not a receipt as it was issued"),
        (lambda parts: parts.pop("proof"), "not a receipt as it was issued"),
    ],
)
def test_a_receipt_that_was_tampered_with_proves_nothing_and_says_why(
    tamper: Callable[[Parts], Any], fault: str
) -> None:
    parts = json.loads(RECEIPT)
    tamper(parts)
    with pytest.raises(BadReceipt, match=fault):
        check_receipt(written(parts), KEY.verifying_key)


def test_it_proves_nothing_to_somebody_with_another_key() -> None:
    with pytest.raises(BadReceipt, match="not signed by fleetlog"):
        check_receipt(RECEIPT, OTHER_KEY.verifying_key)


@given(at=st.integers(0, len(RECEIPT) - 1), character=st.characters(codec="utf-8"))
def test_no_single_character_can_be_another_one(at: int, character: str) -> None:
    changed = RECEIPT[:at] + character + RECEIPT[at + 1 :]
    if changed == RECEIPT:
        return
    with pytest.raises(BadReceipt):
        check_receipt(changed, KEY.verifying_key)
