"""Asks an authority for time stamps of checkpoints (RFC 3161), at most one for each hour's checkpoints."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Never

import psycopg
from cryptography.x509 import Certificate

from ops.base.database.connection import connect
from ops.tamper_evidence.checkpoints import Checkpoint
from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.signed_notes import VerifyingKey
from ops.tamper_evidence.time_stamps import BadTimeStamp, check_time_stamp, time_stamp_request
from projections.leadership.sessions import ANSWER_SECONDS
from projections.relay.thread import begin_in_thread
from projections.workers.sealing.audit_tables import add_time_stamp, checkpoint_to_stamp
from projections.workers.sealing.reachability import Reachability
from projections.workers.sealing.witnesses import WitnessAway, name_of, send

_POLL_SECONDS: Final = 5.0
_LONGEST_PAUSE: Final = 600.0
"""Between attempts while the authority is away: public ones limit the number of requests."""
_OK: Final = 200


class TimeStamper(Reachability):
    """The sealer's requests to one authority: its absence or an invalid stamp delays nothing.

    Args:
        url: address of the authority.
        trusted: root certificates of authorities.
        dsn: the database with the checkpoints.
    """

    def __init__(
        self, url: str, trusted: Sequence[Certificate], dsn: str, seals: SealedLog, key: VerifyingKey
    ) -> None:
        super().__init__(name_of(url))
        self._url = url
        self._trusted = trusted
        self._dsn = dsn
        self._seals = seals
        self._key = key

    async def keep_stamping(self, last: Callable[[], str]) -> Never:
        """Request stamps until cancelled; `last` returns the seals' last checkpoint."""
        pause = _POLL_SECONDS
        try:
            while True:
                try:
                    await self._stamp(last())
                    self.set_away(None)
                except (WitnessAway, BadTimeStamp) as error:
                    self.set_away(str(error))
                except (psycopg.Error, OSError) as error:
                    self.set_away(type(error).__name__)
                pause = min(2 * pause, _LONGEST_PAUSE) if self.away is not None else _POLL_SECONDS
                await asyncio.sleep(pause)
        finally:
            self.forget()

    async def _stamp(self, note: str) -> None:
        async with await connect(self._dsn, autocommit=True, answer_seconds=ANSWER_SECONDS) as connection:
            number = await checkpoint_to_stamp(connection, note, self.name)
        if number is None:
            return
        checkpoint = Checkpoint.from_note(note, self._key)
        request = time_stamp_request(checkpoint.text())
        answer = await begin_in_thread(
            partial(send, "POST", self._url, request.as_bytes(), "application/timestamp-query")
        )
        if answer.status_code != _OK:
            raise WitnessAway(f"answers {answer.status_code}")
        response = answer.content
        moment = check_time_stamp(response, checkpoint, self._trusted, nonce=request.nonce)
        await asyncio.to_thread(self._seals.add_time_stamp, note, self.name, response)
        async with await connect(self._dsn, autocommit=True, answer_seconds=ANSWER_SECONDS) as connection:
            await add_time_stamp(connection, number, self.name, response, moment)
