"""SealingRestart anew, by an operator's command: sealing goes on, and every seal tells of it."""

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
from projections.failures import ProjectionStopped
from projections.leases.locks import SEAL_KEY, try_to_lock
from projections.reading.log import read_head
from projections.workers.sealing.agreement import SealsDoNotFit
from projections.workers.sealing.notes import access_head, all_notes, remember
from projections.workers.sealing.retention import fits
from projections.workers.sealing.rows import former_origins, origin_of
from projections.workers.sealing.sealer import hashes_between, signed_now
from projections.workers.sealing.witnesses import Witness, ask_all

_LOCK_SECONDS: Final = 20.0
"""A sealer that cannot go on gives its lock back every few seconds."""
_LONGEST_REASON: Final = 500


@dataclass(frozen=True)
class BegunAnew:
    """What came of it."""

    checkpoint: Checkpoint
    aside: Path
    """Where the seals are that were there."""
    away: Sequence[str]
    """Witnesses that could not be asked: if one knows of a later checkpoint, sealing stops again."""


@dataclass(frozen=True)
class _Known:
    """Every checkpoint that any place knows."""

    notes: dict[int, list[tuple[Checkpoint, str]]]
    """Of folder and database, by size: what could be kept."""
    last: list[Checkpoint]
    """The last one of each place."""
    away: list[str]


async def begin_anew(
    connection: AsyncConnection,
    seals: SealedLog,
    key: SigningKey,
    witnesses: Sequence[Witness],
    reason: str,
    *,
    formerly: Checkpoint | None = None,
) -> BegunAnew:
    """Seal the log as it is now, keeping what checkpoints still fit; the new one and all later ones tell why.

    Args:
        connection: in autocommit mode.
        seals: the log's; what is there is put aside.
        key: what to sign with.
        witnesses: asked what they know.
        reason: an operator's.
        formerly: what else is given up, whether it was signed or not.

    Raises:
        ProjectionStopped: the log is being sealed, or is not whole.
    """
    reason = " ".join(reason.split())[:_LONGEST_REASON]
    if not reason:
        raise ProjectionStopped("say why: every seal will tell it")
    await _lock(connection)
    known = await _known(connection, seals, key, witnesses)
    if formerly is not None:
        known.last.append(formerly)
    head = await read_head(connection)
    hashes = seals.folder / "hashes.new"
    seals.folder.mkdir(parents=True, exist_ok=True)
    kept, frontier = await _kept(connection, known, hashes, head)
    checkpoint = Checkpoint(
        await origin_of(connection),
        head,
        frontier.root,
        kept[-1][0].size if kept else 0,
        accesses=await access_head(connection),
        restarts=_beginnings(known, [checkpoint for checkpoint, _ in kept], reason),
    )
    newest = max((one.moment for one in known.last if one.moment), default=None)
    signed = signed_now(checkpoint, after=replace(checkpoint, moment=newest))
    note = signed.signed(key)
    # The database first: what was begun and not finished is then told, and the command can be given again.
    await remember(connection, [(signed.size, note)])
    notes = [(one.size, text) for one, text in kept]
    aside = await asyncio.to_thread(seals.replace, [*notes, (signed.size, note)], hashes)
    return BegunAnew(signed, aside, known.away)


async def _lock(connection: AsyncConnection) -> None:
    deadline = time.monotonic() + _LOCK_SECONDS
    while not await try_to_lock(connection, SEAL_KEY):
        if time.monotonic() > deadline:
            raise ProjectionStopped("the log is being sealed, so there is nothing to begin anew")
        await asyncio.sleep(0.1)


async def _known(
    connection: AsyncConnection, seals: SealedLog, key: SigningKey, witnesses: Sequence[Witness]
) -> _Known:
    """Ask all places; what cannot be trusted is as good as gone."""
    reported, away = await ask_all(witnesses, key.verifying_key)
    known = _Known({}, [], list(away))
    in_folder = [path.read_text("utf-8", errors="replace") for path in seals.note_files()]
    for notes in (in_folder, await all_notes(connection)):
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

    All hashes are written to a file. The chain's last one must tell of every beginning that any place knows.
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
    """Return all known beginnings, and one for each last checkpoint that none of them explains."""
    reported = max((one.restarts for one in known.last), key=len, default=())
    now = datetime.now(UTC).replace(microsecond=0)
    keeping = kept[-1].size if kept else 0

    def beginning(known_size: int, root: bytes) -> SealingRestart:
        return SealingRestart(known_size, root, keeping, now, reason)

    given_up = {
        (one.size, one.root)
        for one in known.last
        if one.size > keeping and not replace(one, restarts=reported).explains(one)
    }
    new = [beginning(*one) for one in sorted(given_up)]
    if not new:
        last = max(known.last, key=lambda one: one.size, default=None)
        new = [beginning(last.size, last.root) if last else beginning(0, b"")]
    return (*reported, *new)
