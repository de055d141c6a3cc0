"""Receipts of erasures, issued as soon as a checkpoint covers the event."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from psycopg import AsyncConnection

from ops.tamper_evidence.checkpoints import Checkpoint
from ops.tamper_evidence.merkle_tree import Subtrees, inclusion_proof
from ops.tamper_evidence.receipts import check_receipt, checkpoint_facts, make_receipt
from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.signed_notes import SigningKey
from projections.workers.erasure.erasures import WAITS, Erasure
from projections.workers.sealing.rows import rows_between

_BEFORE: Final = "SELECT note FROM audit.checkpoints WHERE size < %s ORDER BY number DESC LIMIT 1"
_OF_STEPS: Final = ("basis", "asked", "erased", "keys", "events")


async def receipts(
    connection: AsyncConnection, seals: SealedLog, key: SigningKey, erasures: Sequence[Erasure]
) -> list[tuple[Erasure, str]]:
    """Return the receipts that can be issued now for erasures whose steps are all finished.

    Args:
        connection: with the sealer's rights.
        key: the key that signs seals and receipts.

    Raises:
        BadSeals: the last checkpoint is not signed with the key.
        BadReceipt: the seals do not match the log.
    """
    checkpoint = await asyncio.to_thread(seals.latest, key.verifying_key)
    if checkpoint is None or seals.hashed < checkpoint.size:
        return []
    covered = [one for one in erasures if one.position <= checkpoint.size]
    if not covered:
        return []
    tree = await asyncio.to_thread(lambda: Subtrees(seals.hashes(up_to=checkpoint.size)))
    issued = []
    for erasure in covered:
        row = (await anext(rows_between(connection, after=erasure.position - 1, up_to=erasure.position)))[0]
        facts = _facts(erasure) | {"checkpoint_before": await _before(connection, key, erasure.position)}
        proof = inclusion_proof(row.position - 1, tree.size, tree.root_between)
        receipt = make_receipt(facts, row, proof, seals.note(checkpoint.size), key)
        check_receipt(receipt, key.verifying_key)
        issued.append((erasure, receipt))
    return issued


async def _before(connection: AsyncConnection, key: SigningKey, position: int) -> dict[str, Any] | None:
    rows = await (await connection.execute(_BEFORE, (position,))).fetchall()
    return checkpoint_facts(Checkpoint.from_note(rows[0][0], key.verifying_key)) if rows else None


def _facts(erasure: Erasure) -> dict[str, Any]:
    steps = erasure.steps
    return {
        **{name: steps["decrypted"][name] for name in _OF_STEPS},
        "searches": len(steps["decrypted"]["searches"]) + steps["scanned"].get("searches", 0),
        "epochs": _without(steps["rotated"], "at"),
        "services": steps["acknowledged"]["services"],
        "steps": {name: what["at"] for name, what in steps.items() if name != WAITS},
        "scan": _without(steps["scanned"], "at", "searches"),
    }


def _without(what: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in what.items() if name not in names}
