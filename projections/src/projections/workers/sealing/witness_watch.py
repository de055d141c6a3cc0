"""Publishes every checkpoint to one witness, and checks whether the witness agrees with the seals."""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Final, Never

import psycopg

from ops.base.database.connection import connect
from ops.tamper_evidence.checkpoints import Checkpoint
from ops.tamper_evidence.sealed_log import BadSeals, SealedLog
from ops.tamper_evidence.signed_notes import VerifyingKey
from projections import metrics
from projections.leadership.sessions import ANSWER_SECONDS
from projections.relay.thread import begin_in_thread
from projections.workers.sealing.agreement import REMEDY, accounts_for
from projections.workers.sealing.audit_tables import notes_after
from projections.workers.sealing.reachability import LONGEST_PAUSE, Reachability
from projections.workers.sealing.witnesses import Witness, WitnessAway

POLL_SECONDS: Final = 1.0
CHECK_SECONDS: Final = 60.0
"""Time between checks of the witness's last checkpoint while no new one is published."""


class WitnessWatch(Reachability):
    """The sealer's view of one witness: an absent witness delays nothing, a disagreeing one stops sealing.

    Args:
        dsn: the database with the checkpoints that the witness may lack.
    """

    def __init__(self, witness: Witness, dsn: str, seals: SealedLog, key: VerifyingKey) -> None:
        super().__init__(witness.name)
        self.refused: str | None = None
        """Why the witness disagrees with the seals; None if it agrees."""
        self._witness = witness
        self._dsn = dsn
        self._seals = seals
        self._key = key
        self._published = ""
        self._checked = 0.0

    async def check(self, last: str) -> str | None:
        """Return the witness's last checkpoint if the seals, whose last one is given, account for it."""
        try:
            note = await begin_in_thread(lambda: self._witness.last(self._key))
        except WitnessAway as error:
            self.set_away(str(error))
            return None
        self.refused = None if note is None or note == last else self._refusal(note, last)
        self.set_away(None)
        return note if self.refused is None else None

    async def keep_notified(self, last: Callable[[], str]) -> Never:
        """Publish every checkpoint until cancelled; `last` returns the seals' last checkpoint."""
        pause = POLL_SECONDS
        try:
            while True:
                if last() != self._published or time.monotonic() - self._checked >= CHECK_SECONDS:
                    try:
                        await self._publish(last())
                    except (WitnessAway, psycopg.Error, OSError) as error:
                        away = isinstance(error, WitnessAway)
                        self.set_away(str(error) if away else type(error).__name__)
                pause = min(2 * pause, LONGEST_PAUSE) if self.away is not None else POLL_SECONDS
                await asyncio.sleep(pause)
        finally:
            self.forget()

    async def _publish(self, last: str) -> None:
        note = await self.check(last)
        if self.away is not None or self.refused is not None:
            return
        while note != last:
            async with await connect(self._dsn, autocommit=True, answer_seconds=ANSWER_SECONDS) as connection:
                notes = await notes_after(connection, note)
            if not notes:
                break
            await begin_in_thread(partial(self._witness.publish, notes, self._key))
            note = notes[-1]
        self._published, self._checked = last, time.monotonic()
        metrics.WITNESS_AGREED.labels(self.name).set_to_current_time()

    def _refusal(self, note: str, last: str) -> str | None:
        known = Checkpoint.from_note(note, self._key)
        try:
            if accounts_for(self._seals, self._key, Checkpoint.from_note(last, self._key), known):
                return None
        except BadSeals as error:
            return str(error)
        return (
            f"the witness {self.name} has a checkpoint of position {known.size} that these seals do not have:"
            f" {REMEDY}"
        )
