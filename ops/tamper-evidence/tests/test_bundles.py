"""Bundles can be verified with the public key alone; changed ones are refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.tamper_evidence.bundles import BadBundle, check_bundle, has_decrypted_events
from ops.testing.sealed_logs import KEY, ORIGIN, OTHER_KEY, STREAMS, a_log, bundle_of, checkpoint_of

STREAM = STREAMS[1]
POSITIONS = [1, 4, 7, 10, 13, 16, 19]
Bundle = dict[str, Any]


@given(size=st.integers(3, 40), stream=st.sampled_from(STREAMS))
def test_bundle_is_verified_with_the_public_key(size: int, stream: str) -> None:
    rows = a_log(size)
    checkpoint, events = check_bundle(bundle_of(rows, stream), KEY.verifying_key)
    assert checkpoint == checkpoint_of(rows)
    assert events == [row for row in rows if row.originator_id == stream]


def event(number: int, **changes: Any) -> Callable[[Bundle], None]:
    return lambda bundle: bundle["events"][number].update(changes)


def another_stream_s_proof(bundle: Bundle) -> None:
    bundle["last"] = json.loads(bundle_of(a_log(20), STREAMS[0]))["last"]


def an_older_proof(bundle: Bundle) -> None:
    """Remove the last event, and use the proof that was valid before it."""
    bundle["events"].pop()
    bundle["last"] = json.loads(bundle_of(a_log(18), STREAM))["last"]


def no_streams(bundle: Bundle) -> None:
    bundle["checkpoint"] = replace(checkpoint_of(a_log(20)), streams=b"").signed(KEY)


def swap_events(bundle: Bundle) -> None:
    """Swap two events."""
    events = bundle["events"]
    events[2], events[4] = events[4], events[2]


def another_stream_s_event(bundle: Bundle) -> None:
    bundle["events"][1] = json.loads(bundle_of(a_log(20), STREAMS[0]))["events"][1]


@pytest.mark.parametrize(
    ("tamper", "fault"),
    [
        (event(1, originator_id=STREAMS[0]), "position 4 does not match its seal"),
        (event(1, state="e30="), "position 4 does not match its seal"),
        (event(1, moment="2026-11-21T00:00:00.000009+00:00"), "position 4 does not match its seal"),
        (event(1, moment="2026-11-21T00:00:00.000004Z"), "position 4 does not match its seal"),
        (event(1, position=5), "position 5 does not match its seal"),
        (event(1, position=10**30), "not a bundle"),
        (event(1, position="4"), "position '4' does not match its seal"),
        (event(0, originator_version=True), "position 1 does not match its seal"),
        (event(1, proof=[]), "position 4 does not match its seal"),
        (lambda bundle: bundle["events"][1]["proof"].pop(), "position 4 does not match its seal"),
        (lambda bundle: bundle["events"][1]["proof"].append("00" * 32), "position 4 does not match its seal"),
        (lambda bundle: bundle["events"].pop(0), "version 1 is missing before position 4"),
        (lambda bundle: bundle["events"].pop(2), "version 3 is missing before position 10"),
        (lambda bundle: bundle["events"].pop(), "events after position 16 are missing"),
        (swap_events, "version 3 is missing before position 13"),
        (lambda bundle: bundle["events"].insert(2, bundle["events"][1]), "version 3 is missing before"),
        (lambda bundle: bundle["events"].clear(), "no events"),
        (another_stream_s_event, "position 6 is another entity's"),
        (another_stream_s_proof, "not the whole history"),
        (an_older_proof, "not the whole history"),
        (no_streams, "does not say which events are the last ones"),
        (lambda bundle: bundle["last"].pop(), "not the whole history"),
        (lambda bundle: bundle["last"].append("00" * 32), "not the whole history"),
        (lambda bundle: bundle.update(last=["00" * 32] * 257), "not a bundle"),
        (lambda bundle: bundle.update(last=["00"]), "not a bundle"),
        (lambda bundle: bundle.update(checkpoint=bundle["checkpoint"].replace("20", "21")), "checkpoint"),
        (lambda bundle: bundle.update(checkpoint=checkpoint_of(a_log(20)).signed(OTHER_KEY)), "not signed"),
        (
            lambda bundle: bundle.update(checkpoint=checkpoint_of(a_log(19)).signed(KEY)),
            "position 1 does not",
        ),
        (lambda bundle: bundle.update(comment="trust me"), "nothing vouches for"),
        (lambda bundle: bundle.update(format="other"), "format"),
        (lambda bundle: bundle.pop("events"), "nothing vouches for"),
    ],
)
def test_changed_bundle_is_refused_with_the_place(tamper: Callable[[Bundle], Any], fault: str) -> None:
    bundle = json.loads(bundle_of(a_log(20), STREAM))
    assert [one["position"] for one in bundle["events"]] == POSITIONS
    tamper(bundle)
    with pytest.raises(BadBundle, match=fault):
        check_bundle(json.dumps(bundle), KEY.verifying_key)


BUNDLE = bundle_of(a_log(20), STREAM)
PROVEN = check_bundle(BUNDLE, KEY.verifying_key)


@given(at=st.integers(0, len(BUNDLE) - 1), character=st.characters(codec="ascii"))
def test_any_changed_character_is_detected(at: int, character: str) -> None:
    try:
        proven = check_bundle(BUNDLE[:at] + character + BUNDLE[at + 1 :], KEY.verifying_key)
    except BadBundle:
        return
    assert proven == PROVEN


def test_decrypted_events_are_marked_and_must_be_in_the_bundle() -> None:
    bundle = json.loads(BUNDLE)
    bundle["opened"] = [{"position": POSITIONS[0], "event": {"n": 1}}]
    text = json.dumps(bundle)
    assert check_bundle(text, KEY.verifying_key) == PROVEN
    assert (has_decrypted_events(text), has_decrypted_events(BUNDLE)) == (True, False)
    bundle["opened"].append({"position": POSITIONS[0] + 1, "event": {}})
    with pytest.raises(BadBundle, match="opens events that it does not have"):
        check_bundle(json.dumps(bundle), KEY.verifying_key)


def test_repeated_name_is_refused() -> None:
    doubled = BUNDLE.replace('"topic":', '"topic": "driver.removed", "topic":', 1)
    with pytest.raises(BadBundle, match="not a bundle"):
        check_bundle(doubled, KEY.verifying_key)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "null", "1", '{"format": 1}', "[" * 100_000, "\x00", f'{{"format": "{ORIGIN}"}}']
)
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(BadBundle):
        check_bundle(text, KEY.verifying_key)
