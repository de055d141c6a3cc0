"""The issuer's signing keys, refreshed regularly and when a token names an unknown key."""

import asyncio
import re
import time
from collections.abc import Mapping
from typing import Any, Final, Self

import structlog
from cryptography.exceptions import UnsupportedAlgorithm
from jose import jwk
from jose.backends.base import Key
from jose.exceptions import JOSEError

from ops.base.discovery import keys_url, metadata_url
from ops.base.http.client import fetch
from ops.base.http.strict_json import parse_object
from ops.base.process.tasks import supervised
from ops.base.sign_in.refusal import InvalidToken, SigningKeysUnavailable
from ops.base.sign_in.token_format import ALGORITHM

_log = structlog.get_logger(__name__)

_FETCH_TIMEOUT: Final = 5.0  # seconds
_RETRY_AFTER: Final = 1.0  # seconds between attempts while no key is loaded
_LONGEST_PAUSE: Final = 10.0  # seconds; attempts without a key are less and less frequent
_MAX_AGE: Final = 600.0  # seconds between refreshes, which drop withdrawn keys
_MAX_DOCUMENT: Final = 256 * 1024
"""Maximum size of a key set, in bytes."""
_MAX_ENTRIES: Final = 100
_MAX_NESTING: Final = 16
_MIN_BITS: Final = 2048  # RFC 7518, section 3.3
_MAX_BITS: Final = 8192  # verification time grows with the square
_INTEGER: Final = re.compile(r"[A-Za-z0-9_-]{1,1400}")


class SigningKeys:
    """Public keys by `kid`, from the configured URL or the one in the issuer's metadata.

    Loaded keys stay valid during an outage of the identity provider.
    """

    def __init__(self, issuer: str, url: str | None, *, min_interval: float = 10.0) -> None:
        """Create an empty set.

        Args:
            url: of the issuer's JSON Web Key Set; None: the metadata names it.
            min_interval: minimum seconds between fetches because of unknown key ids, which anyone can send.
        """
        self._metadata_url = metadata_url(issuer) if url is None else None
        self._issuer = issuer
        self._url = url or ""
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
            if self._metadata_url is not None:
                await self._discover(self._metadata_url)
            keys = parse_key_set(await _fetch_json(self._url))
        except (OSError, ValueError) as error:  # TimeoutError is an OSError
            url = self._url or self._metadata_url
            _log.warning("signing_keys_not_loaded", url=url, error=repr(error), kept=len(self._keys))
        else:
            if _public(keys) != _public(self._keys):
                self.generation += 1
                _log.info("signing_keys_loaded", url=self._url, kids=sorted(keys))
            self._keys = keys
        finally:
            self._not_before = time.monotonic() + (self._min_interval if self._keys else _RETRY_AFTER)
            self._fetching = None

    async def _discover(self, url: str) -> None:
        """Read the keys' URL, which may change with the keys; during failures the last one stays in use."""
        try:
            metadata = parse_object(await _fetch_json(url), max_nesting=_MAX_NESTING)
            self._url = keys_url(metadata, self._issuer)
        except (OSError, ValueError) as error:
            if not self._url:
                raise
            _log.warning("metadata_not_loaded", url=url, error=repr(error))


async def _fetch_json(url: str) -> bytes:
    return await fetch(url, accept="application/json", most_bytes=_MAX_DOCUMENT, seconds=_FETCH_TIMEOUT)


def _public(keys: dict[str, Key]) -> dict[str, object]:
    return {kid: key.to_dict() for kid, key in keys.items()}


def parse_key_set(document: bytes) -> dict[str, Key]:
    """Return the usable RSA signature keys of a JSON Web Key Set by `kid`; raises `ValueError`.

    Other entries are ignored: other key types, malformed or private keys, and keys of other sizes, which an
    issuer may publish for other clients. Two different keys with the same `kid` are both ignored.
    """
    entries = parse_object(document, max_nesting=_MAX_NESTING).get("keys")
    if not isinstance(entries, list):
        raise ValueError("no list of keys")  # noqa: TRY004 - see above
    keys: dict[str, Key] = {}
    ambiguous: set[str] = set()
    for entry in entries[:_MAX_ENTRIES]:
        if not _may_verify(entry) or (key := _build(entry)) is None:
            continue
        kid = entry["kid"]
        if kid in keys and keys[kid].to_dict() != key.to_dict():
            ambiguous.add(kid)
        keys[kid] = key
    usable = {kid: key for kid, key in keys.items() if kid not in ambiguous}
    if not usable:
        raise ValueError("no usable key")
    return usable


def _may_verify(entry: object) -> bool:
    if not isinstance(entry, Mapping) or "d" in entry:
        return False
    operations = entry.get("key_ops", ["verify"])
    return (
        entry.get("kty") == "RSA"
        and isinstance(entry.get("kid"), str)
        and entry["kid"] != ""
        and entry.get("use", "sig") == "sig"
        and entry.get("alg", ALGORITHM) == ALGORITHM
        and isinstance(operations, list)
        and "verify" in operations
    )


def _build(entry: Mapping[str, Any]) -> Key | None:
    numbers = [entry.get("n"), entry.get("e")]
    if not all(isinstance(number, str) and _INTEGER.fullmatch(number) for number in numbers):
        return None
    try:
        key = jwk.construct({"kty": "RSA", "n": entry["n"], "e": entry["e"]}, ALGORITHM)
    except (JOSEError, ValueError, UnsupportedAlgorithm):
        return None
    return key if _MIN_BITS <= key.prepared_key.key_size <= _MAX_BITS else None
