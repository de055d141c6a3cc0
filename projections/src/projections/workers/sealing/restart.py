"""Restart of sealing by an operator; every later checkpoint states the reason."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from psycopg import AsyncConnection

from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint, SealingRestart, may_be_of
from ops.tamper_evidence.merkle_tree import Frontier
from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.signed_notes import SigningKey
from ops.tamper_evidence.stream_tree import StreamTree
from projections.event_log import read_head
from projections.failures import ProjectionStopped
from projections.leadership.locks import try_to_lock
from projections.workers.sealing.agreement import SealsDoNotFit
from projections.workers.sealing.audit_tables import access_head, add_checkpoints, all_notes, forget_blocks
from projections.workers.sealing.retention import fits
from projections.workers.sealing.rows import add_heads, former_origins, hashes_between, origin_of
from projections.workers.sealing.sealer import signed_now
from projections.workers.sealing.witnesses import Witness, ask_all
from read_model.lock_keys import SEAL_KEY

_LOCK_SECONDS: Final = 20.0
"""A sealer that cannot continue releases its lock every few seconds."""
_LONGEST_REASON: Final = 500


@dataclass(frozen=True)
class Restart:
    """The result of a restart."""

    checkpoint: Checkpoint
    backup: Path
    """The folder with the former seals."""
    away: Sequence[str]
    """Witnesses that did not answer; sealing stops again if one has a later checkpoint."""


@dataclass(frozen=True)
class _Known:
    """All checkpoints in folder, database and witnesses."""

    notes: dict[int, list[tuple[Checkpoint, str]]]
    """Those in folder and database, by size: candidates to keep."""
    last: list[Checkpoint]
    """The last checkpoint of each copy."""
    away: list[str]


async def restart_sealing(
    connection: AsyncConnection,
    seals: SealedLog,
    key: SigningKey,
    witnesses: Sequence[Witness],
    reason: str,
) -> Restart:
    """Seal the current log, and keep the checkpoints that still fit it.

    Args:
        connection: in autocommit mode.
        seals: the log's seals, which are moved to a backup folder.
        witnesses: asked for their last checkpoints.
        reason: stated by the new and all later checkpoints.

    Raises:
        ProjectionStopped: another process seals the log, or an event is missing.
    """
    reason = " ".join(reason.split())[:_LONGEST_REASON]
    if not reason:
        raise ProjectionStopped("state a reason: every later seal will contain it")
    deadline = time.monotonic() + _LOCK_SECONDS
    while not await try_to_lock(connection, SEAL_KEY):
        if time.monotonic() > deadline:
            raise ProjectionStopped("the log is being sealed, so sealing needs no restart")
        await asyncio.sleep(0.1)
    known = await _known(connection, seals, key, witnesses)
    head = await read_head(connection)
    hashes = seals.folder / "hashes.new"
    seals.folder.mkdir(parents=True, exist_ok=True)
    kept, frontier = await _kept(connection, known, hashes, head)
    streams = StreamTree()
    await add_heads(connection, streams, after=0, up_to=head)
    checkpoint = Checkpoint(
        await origin_of(connection),
        head,
        frontier.root,
        kept[-1][0].size if kept else 0,
        streams=streams.root,
        accesses=await access_head(connection),
        restarts=_beginnings(known, [checkpoint for checkpoint, _ in kept], reason),
    )
    newest = max((one.moment for one in known.last if one.moment), default=None)
    signed = signed_now(checkpoint, after=replace(checkpoint, moment=newest))
    note = signed.signed(key)
    # The database first: after a crash the disagreement is reported, and the command can be repeated.
    async with connection.transaction():
        await forget_blocks(connection)
        await add_checkpoints(connection, [(signed.size, note)])
    backup = await asyncio.to_thread(seals.replace, [*(text for _, text in kept), note], hashes)
    return Restart(signed, backup, known.away)


async def _known(
    connection: AsyncConnection, seals: SealedLog, key: SigningKey, witnesses: Sequence[Witness]
) -> _Known:
    """Return the checkpoints of all copies, without those that cannot be trusted."""
    reported, away = await ask_all(witnesses, key.verifying_key)
    known = _Known({}, [], list(away))
    for notes in (seals.notes(), await all_notes(connection)):
        last: list[Checkpoint] = []
        for note in notes:
            try:
                checkpoint = Checkpoint.from_note(note, key.verifying_key)
            except BadCheckpoint:
                continue
            last = [checkpoint]
            known.notes.setdefault(checkpoint.size, []).append((checkpoint, note))
        known.last.extend(last)
    known.last.extend(checkpoint for _, checkpoint in reported)
    return known


async def _kept(
    connection: AsyncConnection, known: _Known, hashes: Path, head: int
) -> tuple[list[tuple[Checkpoint, str]], Frontier]:
    """Return the longest chain of checkpoints that fits the log before its head, and the log's tree.

    All hashes are written to a file.
    """
    origin, former = await origin_of(connection), await former_origins(connection)
    frontier, chain = Frontier(), list[tuple[Checkpoint, str]]()

    async def extend() -> None:
        previous = chain[-1][0].size if chain else 0
        for checkpoint, note in known.notes.get(frontier.size, ()):
            if (
                checkpoint.root == frontier.root
                and checkpoint.previous == previous
                and may_be_of(checkpoint, origin, former)
                and await fits(connection, checkpoint)
            ):
                if chain and chain[-1][0].size == checkpoint.size:
                    chain.pop()  # signed again, for more accesses
                chain.append((checkpoint, note))

    with hashes.open("wb") as file:
        await extend()
        async for one in hashes_between(connection, after=0, up_to=head):
            file.write(one)
            frontier.append(one)
            if frontier.size < head:
                await extend()
    if frontier.size != head:
        raise SealsDoNotFit(f"the event at position {frontier.size + 1} is missing")
    return [one for one in chain if one[0].size < head], frontier


def _beginnings(known: _Known, kept: Sequence[Checkpoint], reason: str) -> tuple[SealingRestart, ...]:
    """Return all known restarts, and a new one for each last checkpoint that they do not explain."""
    reported = max((one.restarts for one in known.last), key=len, default=())
    now = datetime.now(UTC).replace(microsecond=0)
    keeping = kept[-1].size if kept else 0
    given_up = {
        (one.size, one.root)
        for one in known.last
        if one.size > keeping and not replace(one, restarts=reported).explains(one)
    }
    if not given_up:
        last = max(known.last, key=lambda one: one.size, default=None)
        given_up = {(last.size, last.root) if last else (0, b"")}
    new = (SealingRestart(size, root, keeping, now, reason) for size, root in sorted(given_up))
    return (*reported, *new)
