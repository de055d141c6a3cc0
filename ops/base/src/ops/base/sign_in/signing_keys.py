"""The issuer's signing keys, refreshed regularly and when a token names an unknown key."""

import asyncio
import time
from typing import Final, Self

import structlog
from jose.backends.base import Key

from ops.base.http.client import fetch
from ops.base.process.tasks import supervised
from ops.base.sign_in.key_set import MAX_DOCUMENT, parse_key_set
from ops.base.sign_in.refusal import InvalidToken, SigningKeysUnavailable

_log = structlog.get_logger(__name__)

_FETCH_TIMEOUT: Final = 5.0  # seconds
_RETRY_AFTER: Final = 1.0  # seconds between attempts while no key is loaded
_LONGEST_PAUSE: Final = 10.0  # seconds; attempts without a key are less and less frequent
_MAX_AGE: Final = 600.0  # seconds between refreshes, which drop withdrawn keys


class SigningKeys:
    """Public keys by `kid`, from the configured URL.

    Loaded keys stay valid during an outage of the identity provider.
    """

    def __init__(self, url: str, *, min_interval: float = 10.0) -> None:
        """Create an empty set.

        Args:
            url: of the issuer's JSON Web Key Set.
            min_interval: minimum seconds between fetches because of unknown key ids, which anyone can send.
        """
        self._url = url
        self._min_interval = min_interval
        self._keys: dict[str, Key] = {}
        self._not_before = 0.0
        self._fetching: asyncio.Task[None] | None = None
        self._keeper: asyncio.Task[None] | None = None
        self.generation = 0
        """Increases when the keys change; tokens verified earlier must be verified again."""

    @property
    def loaded(self) -> bool:
        """Whether a key is loaded."""
        return bool(self._keys)

    async def __aenter__(self) -> Self:
        """Start fetching in the background."""
        self._keeper = asyncio.create_task(supervised(self._keep_fresh), name="signing-keys")
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop fetching."""
        tasks = [task for task in (self._keeper, self._fetching) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._keeper = self._fetching = None

    async def find(self, kid: str) -> Key:
        """Return the key with this id; fetch the key set again if it is unknown.

        Raises:
            InvalidToken: the issuer has no such key, or was asked recently.
            KeysUnavailable: no key set is loaded.
        """
        if (key := self._keys.get(kid)) is not None:
            return key
        if self._fetching is not None or time.monotonic() >= self._not_before:
            await self._fetch_shared()
        if (key := self._keys.get(kid)) is not None:
            return key
        if not self._keys:
            raise SigningKeysUnavailable
        raise InvalidToken("unknown-key")

    async def _keep_fresh(self) -> None:
        pause = _RETRY_AFTER
        while True:
            await self._fetch_shared()
            await asyncio.sleep(_MAX_AGE if self._keys else pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _fetch_shared(self) -> None:
        """Share one fetch among all callers; a cancelled caller does not cancel it."""
        if self._fetching is None:
            self._fetching = asyncio.create_task(self._fetch())
        await asyncio.shield(self._fetching)

    async def _fetch(self) -> None:
        try:
            document = await fetch(
                self._url, accept="application/json", most_bytes=MAX_DOCUMENT, seconds=_FETCH_TIMEOUT
            )
            keys = parse_key_set(document)
        except (OSError, ValueError) as error:  # TimeoutError is an OSError
            _log.warning("signing_keys_not_loaded", url=self._url, error=repr(error), kept=len(self._keys))
        else:
            if _public(keys) != _public(self._keys):
                self.generation += 1
                _log.info("signing_keys_loaded", url=self._url, kids=sorted(keys))
            self._keys = keys
        finally:
            self._not_before = time.monotonic() + (self._min_interval if self._keys else _RETRY_AFTER)
            self._fetching = None


def _public(keys: dict[str, Key]) -> dict[str, object]:
    return {kid: key.to_dict() for kid, key in keys.items()}
