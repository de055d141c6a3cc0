"""The keys of an issuer's key set (RFC 7517) that can verify tokens."""

import re
from collections.abc import Mapping
from typing import Any, Final

from cryptography.exceptions import UnsupportedAlgorithm
from jose import jwk
from jose.backends.base import Key
from jose.exceptions import JOSEError

from ops.base.http.strict_json import parse_object
from ops.base.sign_in.token_format import ALGORITHM

MAX_DOCUMENT: Final = 256 * 1024
"""Maximum size of a key set, in bytes."""

_MAX_ENTRIES: Final = 100
_MAX_NESTING: Final = 16
_MIN_BITS: Final = 2048  # RFC 7518, section 3.3
_MAX_BITS: Final = 8192  # verification time grows with the square
_INTEGER: Final = re.compile(r"[A-Za-z0-9_-]{1,1400}")


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
