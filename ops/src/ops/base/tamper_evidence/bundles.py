"""One entity's history with proofs, for somebody who has nothing but the public key."""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from ops.base.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint, VerifyingKey
from ops.base.tamper_evidence.leaves import LogRow
from ops.base.tamper_evidence.merkle_tree import inclusion_proof, node_hash, root_from_proof, root_of

FORMAT: Final = "fleetlog-history-bundle/1"


class BadBundle(Exception):
    """A bundle does not prove what it says."""


def make_bundle(rows: Sequence[LogRow], hashes: Sequence[bytes], note: str) -> str:
    """Return a bundle.

    Args:
        rows: all events of one stream that the checkpoint covers, in their order.
        hashes: of all events that it covers.
        note: the signed checkpoint.
    """
    tree = _Subtrees(hashes)
    events = [
        {
            **row.told(),
            "proof": [
                node.hex() for node in inclusion_proof(row.position - 1, len(hashes), tree.root_between)
            ],
        }
        for row in rows
    ]
    bundle = {"format": FORMAT, "checkpoint": note, "events": events}
    return json.dumps(bundle, ensure_ascii=False, indent=1)


def check_bundle(text: str, key: VerifyingKey) -> tuple[Checkpoint, list[LogRow]]:
    """Return what a bundle proves: that a log, signed for by the key, held these events of one stream.

    They are the stream's first ones without a gap. That there were no later ones, no bundle can prove.

    Raises:
        BadBundle: it proves nothing.
    """
    try:
        bundle = json.loads(text)
        if bundle["format"] != FORMAT:
            raise BadBundle("not a bundle of this format")
        checkpoint = key.open(bundle["checkpoint"])
        rows = []
        for event in bundle["events"]:
            row = LogRow.read(event)
            _require_proof(row, event["proof"], checkpoint)
            rows.append(row)
    except BadCheckpoint as error:
        raise BadBundle(f"its checkpoint cannot be trusted: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BadBundle("not a bundle") from None
    if not rows:
        raise BadBundle("it has no events")
    if {row.originator_id for row in rows} != {rows[0].originator_id}:
        raise BadBundle("its events are of several entities")
    for number, row in enumerate(rows, start=1):
        if row.originator_version != number:
            raise BadBundle(f"version {number} is missing")
    if any(row.position >= following.position for row, following in pairwise(rows)):
        raise BadBundle("its events are not in the log's order")
    return checkpoint, rows


def _require_proof(row: LogRow, proof: Any, checkpoint: Checkpoint) -> None:
    nodes = [bytes.fromhex(node) for node in proof]
    root = root_from_proof(row.position - 1, checkpoint.size, row.hash(), nodes)
    if root != checkpoint.root:
        raise BadBundle(f"the event at position {row.position} is not what was sealed")


class _Subtrees:
    """The hashes of all full subtrees, so that each proof costs little."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self._levels: list[Sequence[bytes]] = [leaves]
        while len(self._levels[-1]) > 1:
            below = self._levels[-1]
            self._levels.append(
                [node_hash(below[left], below[left + 1]) for left in range(0, len(below) - 1, 2)]
            )

    def root_between(self, first: int, last: int) -> bytes:
        """Return the root of the tree of some leaves."""
        level = (last - first).bit_length() - 1
        if last - first == 1 << level and first % (1 << level) == 0:
            return self._levels[level][first >> level]
        if last - first == 1:
            return root_of([self._levels[0][first]])
        middle = first + (1 << ((last - first - 1).bit_length() - 1))
        return node_hash(self.root_between(first, middle), self.root_between(middle, last))
