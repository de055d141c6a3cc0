"""One entity's history with proofs, for somebody who has nothing but the public key."""

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.tamper_evidence.leaves import LogRow, leaf_of
from ops.tamper_evidence.merkle_tree import Subtrees, inclusion_proof, root_from_proof
from ops.tamper_evidence.signed_notes import BadNote, SigningKey, VerifyingKey

FORMAT: Final = "fleetlog-history-bundle/1"
_PARTS: Final = {"format", "checkpoint", "history", "events"}
_OPENED: Final = "opened"


class BadBundle(Exception):
    """A bundle does not prove what it says."""


def make_bundle(
    rows: Sequence[LogRow],
    hashes: Iterable[bytes],
    checkpoint: Checkpoint,
    key: SigningKey,
    opened: Sequence[dict[str, Any]] | None = None,
) -> str:
    """Return a bundle.

    Args:
        rows: all events of one stream that the checkpoint covers, in their order.
        hashes: of all events that it covers.
        checkpoint: the latest one.
        key: what it is signed with.
        opened: for people to read, what is in the boxes of sealed events: each with its `position`. Nothing
            proves that it was in them, but to who has the keys.
    """
    tree = Subtrees(hashes)
    events = [
        {
            **row.as_json(),
            "proof": [node.hex() for node in inclusion_proof(row.position - 1, tree.size, tree.root_between)],
        }
        for row in rows
    ]
    bundle = {
        "format": FORMAT,
        "checkpoint": checkpoint.signed(key),
        "history": key.sign(_history(rows, checkpoint)),
        "events": events,
        **({} if opened is None else {_OPENED: opened}),
    }
    return json.dumps(bundle, ensure_ascii=False, indent=1)


def check_bundle(text: str, key: VerifyingKey) -> tuple[Checkpoint, list[LogRow]]:
    """Return what a bundle proves: that a log, signed for by the key, held these events of one stream.

    They are the stream's first ones without a gap, and the key's holder has signed that there were no more.

    Raises:
        BadBundle: it proves nothing.
    """
    try:
        bundle = json.loads(text, object_pairs_hook=strict_object)
        if bundle["format"] != FORMAT:
            raise BadBundle("not a bundle of this format")
        if bundle.keys() - {_OPENED} != _PARTS:
            raise BadBundle("it has parts that nothing vouches for")
        checkpoint = Checkpoint.opened(bundle["checkpoint"], key)
        history = key.open(bundle["history"])
        rows = [
            proven(
                {name: value for name, value in event.items() if name != "proof"}, event["proof"], checkpoint
            )
            for event in bundle["events"]
        ]
        positions = {event["position"] for event in bundle["events"]}
        if not {one["position"] for one in bundle.get(_OPENED, ())} <= positions:
            raise BadBundle("it opens events that it does not have")
    except BadCheckpoint as error:
        raise BadBundle(f"its checkpoint cannot be trusted: {error}") from None
    except BadNote as error:
        raise BadBundle(f"its count of events cannot be trusted: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise BadBundle("not a bundle") from None
    _require_whole(rows, checkpoint, history)
    return checkpoint, rows


def shows_opened(text: str) -> bool:
    """Return whether a bundle that was checked shows, besides what it proves, what was in boxes."""
    return _OPENED in json.loads(text)


def strict_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object; a name that is there twice would be read differently by others."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a name is there twice")
    return made


def proven(as_json: dict[str, Any], proof: Any, checkpoint: Checkpoint) -> LogRow:
    """Return an event that a checkpoint covers, written exactly as it was sealed.

    Args:
        as_json: as `LogRow.as_json` writes it.
        proof: the hashes that lead from it to the checkpoint's root, in hex.
        checkpoint: what covers it.

    Raises:
        BadBundle: it is something else.
        KeyError: it has no position.
    """
    position = as_json["position"]
    try:
        row = LogRow.read(as_json)
        nodes = [bytes.fromhex(node) for node in proof]
        root = root_from_proof(row.position - 1, checkpoint.size, row.hash(), nodes)
        exact = row.leaf() == leaf_of(as_json) and [node.hex() for node in nodes] == proof
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        root, exact = b"", False
    if root != checkpoint.root or not exact:
        raise BadBundle(f"the event at position {position!r:.40} is not what was sealed")
    return row


def _history(rows: Sequence[LogRow], checkpoint: Checkpoint) -> str:
    """Return what a key's holder says of a stream: so many events it had when the log had that size.

    Proofs show that each event was in the log. That there was no further one, only somebody can say who has
    all of it; signed, it can be held against them. The first line keeps it from being taken for a checkpoint.
    """
    stream = json.dumps(rows[0].originator_id)
    return f"{checkpoint.origin}/history\n{stream}\n{len(rows)}\n{checkpoint.size}\n"


def _require_whole(rows: Sequence[LogRow], checkpoint: Checkpoint, history: str) -> None:
    if not rows:
        raise BadBundle("it has no events")
    for number, row in enumerate(rows, start=1):
        if row.originator_id != rows[0].originator_id:
            raise BadBundle(f"the event at position {row.position} is another entity's")
        if row.originator_version != number:
            raise BadBundle(f"version {number} is missing before position {row.position}")
    for row, following in pairwise(rows):
        if row.position >= following.position:
            raise BadBundle(f"the event at position {following.position} is not in the log's order")
    if history != _history(rows, checkpoint):
        raise BadBundle(f"it is not the whole history: events after position {rows[-1].position} are missing")
