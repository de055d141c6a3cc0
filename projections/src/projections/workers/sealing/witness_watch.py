"""Keeping one witness told of every checkpoint, and asking it whether it agrees."""

import asyncio
import time
from collections.abc import Callable
from typing import Final, Never

import psycopg
import structlog

from ops.base.database.connection import connect
from ops.tamper_evidence.checkpoints import Checkpoint
from ops.tamper_evidence.sealed_log import BadSeals, SealedLog
from ops.tamper_evidence.signed_notes import VerifyingKey
from projections import metrics
from projections.leases.sessions import ANSWER_SECONDS
from projections.relay.thread import begin_in_thread
from projections.workers.sealing.agreement import REMEDY, accounts_for
from projections.workers.sealing.notes import notes_after
from projections.workers.sealing.witnesses import Witness, WitnessAway

logger = structlog.get_logger()

LOOK_SECONDS: Final = 1.0
ASK_SECONDS: Final = 60.0
"""So often it is asked though there is nothing to tell it."""
LONGEST_PAUSE: Final = 15.0
"""Between attempts while it is away."""


class Watch:
    """One witness, as the sealer sees it: being away it holds nobody up, disagreeing it stops sealing."""

    def __init__(self, witness: Witness, dsn: str, seals: SealedLog, key: VerifyingKey) -> None:
        """Describe it.

        Args:
            witness: which.
            dsn: where the checkpoints are that it may have missed.
            seals: the log's.
            key: what they are signed with.
        """
        self.name = witness.name
        self.away: str | None = None
        """Why it could not be asked or told when that was tried last; None: it could."""
        self.away_since = 0.0
        """Since when, in seconds since 1970."""
        self.refused: str | None = None
        """In what it disagrees; None: in nothing."""
        self._witness = witness
        self._dsn = dsn
        self._seals = seals
        self._key = key
        self._told = ""
        self._asked = 0.0
        self._is_away = metrics.WITNESS_AWAY.labels(self.name)

    async def ask(self, last: str) -> str | None:
        """Ask it for its last checkpoint, and return it if the seals account for it.

        Args:
            last: the seals' last checkpoint.
        """
        try:
            note = await begin_in_thread(lambda: self._witness.last(self._key))
            self._judge(note, last)
        except WitnessAway as error:
            self._tell_away(str(error))
            return None
        self.away = None
        self._is_away.set(0)
        return note if self.refused is None else None

    async def keep_notified(self, last: Callable[[], str]) -> Never:
        """Tell it of every checkpoint until cancelled.

        Args:
            last: returns the seals' last checkpoint.
        """
        try:
            await self._keep_notified(last)
        finally:
            self._is_away.set(0)  # who seals now tells of it

    async def _keep_notified(self, last: Callable[[], str]) -> Never:
        pause = LOOK_SECONDS
        while True:
            if last() != self._told or time.monotonic() - self._asked >= ASK_SECONDS:
                try:
                    await self._agree(last())
                except (WitnessAway, psycopg.Error, OSError) as error:
                    away = isinstance(error, WitnessAway)
                    self._tell_away(str(error) if away else type(error).__name__)
            pause = min(2 * pause, LONGEST_PAUSE) if self.away is not None else LOOK_SECONDS
            await asyncio.sleep(pause)

    async def _agree(self, last: str) -> None:
        note = await self.ask(last)
        if self.away is not None or self.refused is not None:
            return
        while note != last:
            async with await connect(self._dsn, autocommit=True, answer_seconds=ANSWER_SECONDS) as connection:
                notes = await notes_after(connection, note)
            if not notes:
                break
            await begin_in_thread(lambda notes=notes: self._witness.tell(notes, self._key))  # type: ignore[misc]
            note = notes[-1]
        self._told, self._asked = last, time.monotonic()
        metrics.WITNESS_AGREED.labels(self.name).set_to_current_time()

    def _judge(self, note: str | None, last: str) -> None:
        self.refused = None
        if note is None or note == last:
            return
        known = Checkpoint.from_note(note, self._key)
        try:
            fits = accounts_for(self._seals, self._key, Checkpoint.from_note(last, self._key), known)
        except BadSeals as error:
            self.refused = str(error)
            return
        if not fits:
            self.refused = (
                f"the witness {self.name} knows a checkpoint of position {known.size} that these seals do not"
                f" have: {REMEDY}"
            )

    def _tell_away(self, why: str) -> None:
        if self.away != why:
            logger.warning("witness_away", witness=self.name, error=why)
        if self.away is None:
            self.away_since = time.time()
        self.away = why
        self._is_away.set(1)
