"""Tokens whose signature is not exactly that of our key for exactly these segments."""

import base64
import json
import string
from collections.abc import Callable
from typing import Final

from ops.testing.bad_tokens.builders import BadToken, with_segments
from ops.testing.token_issuer import TokenIssuer, encode, new_key

_ALPHABET: Final = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"


def _decode(segment: str) -> bytes:
    return base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4))


def _signature(name: str, change: Callable[[bytes], bytes]) -> BadToken:
    return with_segments(name, "signature", lambda h, p, s: f"{h}.{p}.{encode(change(_decode(s)))}")


def _modulus(name: str, change: Callable[[int, int], int]) -> BadToken:
    """A token whose signature is another number, congruent to the valid one or nearly so."""

    def build(issuer: TokenIssuer) -> str:
        head, payload, signature = issuer.token().split(".")
        modulus = next(iter(issuer.keys.values())).public_key().public_numbers().n
        number = change(int.from_bytes(_decode(signature), "big"), modulus)
        return f"{head}.{payload}.{encode(number.to_bytes(number.bit_length() // 8 + 1, 'big'))}"

    return BadToken(name, "signature", build)


def _spare_bits(segment: str, by: int) -> str:
    """Return another text that most decoders decode to the same bytes."""
    return segment[:-1] + _ALPHABET[_ALPHABET.index(segment[-1]) ^ by]


def _flip(signature: bytes, at: int) -> bytes:
    changed = bytearray(signature)
    changed[at] ^= 1
    return bytes(changed)


def _forged(issuer: TokenIssuer) -> str:
    head, _, signature = issuer.token().split(".")
    return f"{head}.{encode(json.dumps(issuer.claims(sub='dev|farah')).encode())}.{signature}"


def _with_signature_of(**changes: object) -> Callable[[TokenIssuer], str]:
    """Return a builder that combines a token with the signature of another token of the issuer."""

    def build(issuer: TokenIssuer) -> str:
        return issuer.token().rpartition(".")[0] + "." + issuer.token(**changes).rpartition(".")[2]  # type: ignore[arg-type]

    return build


def _rewritten(issuer: TokenIssuer) -> str:
    """Return a token whose claims are serialised differently after the signature."""
    head, _, signature = issuer.token().split(".")
    return f"{head}.{encode(json.dumps(issuer.claims(), indent=1).encode())}.{signature}"


def _by_another_key(bits: int) -> Callable[[TokenIssuer], str]:
    return lambda issuer: issuer.sign(
        json.dumps(issuer.header()), json.dumps(issuer.claims()), key=new_key(bits)
    )


TOKENS: Final = (
    BadToken("signed by a key of 1 024 bits", "signature", _by_another_key(1024)),
    BadToken("signed by a key of 3 072 bits", "signature", _by_another_key(3072)),
    BadToken("claims exchanged", "signature", _forged),
    BadToken("claims written another way", "signature", _rewritten),
    BadToken("signature of a longer-lived token", "signature", _with_signature_of(exp=4_000_000_000)),
    BadToken("signature of another person's token", "signature", _with_signature_of(sub="dev|farah")),
    with_segments("signature cut", "signature", lambda h, p, s: f"{h}.{p}.{s[:-10]}"),
    with_segments(
        "signature of its own payload", "signature", lambda h, p, _: f"{h}.{p}.{p[: len(p) // 4 * 4]}"
    ),
    with_segments(
        "signature of its own header", "signature", lambda h, p, _: f"{h}.{p}.{h[: len(h) // 4 * 4]}"
    ),
    with_segments("signature of an impossible length", "malformed", lambda h, p, _: f"{h}.{p}.{'A' * 5}"),
    with_segments("payload cut", "signature", lambda h, p, s: f"{h}.{p[:-4]}.{s}"),
    with_segments("payload lengthened", "signature", lambda h, p, s: f"{h}.{p}AAAA.{s}"),
    with_segments("payload's first letter changed", "signature", lambda h, p, s: f"{h}.{'f' + p[1:]}.{s}"),
    # 256 bytes are 341 letters and a third: the last letter has four bits without meaning.
    *(
        with_segments(
            f"signature's spare bits changed by {by}",
            "malformed",
            lambda h, p, s, by=by: f"{h}.{p}.{_spare_bits(s, by)}",  # type: ignore[misc]
        )
        for by in (1, 2, 3, 8, 15)
    ),
    *(
        _signature(f"bit flipped in byte {at} of the signature", lambda s, at=at: _flip(s, at))  # type: ignore[misc]
        for at in (0, 1, 64, 127, 128, 200, 254, 255)
    ),
    _signature("signature with a leading zero", lambda s: b"\0" + s),
    _signature("signature with a zero behind", lambda s: s + b"\0"),
    _signature("signature without its first byte", lambda s: s[1:]),
    _signature("signature without its last byte", lambda s: s[:-1]),
    _signature("signature twice", lambda s: s + s),
    _signature("signature backwards", lambda s: s[::-1]),
    _signature("signature inverted", lambda s: bytes(byte ^ 255 for byte in s)),
    _signature("signature of zeros", lambda s: bytes(len(s))),
    _signature("signature of one", lambda s: bytes(len(s) - 1) + b"\1"),
    _signature("signature of ones", lambda s: b"\xff" * len(s)),
    _signature("signature of one byte", lambda _: b"\0"),
    _signature("signature as text", lambda s: s.hex().encode()),
    _modulus("signature plus the modulus", lambda s, n: s + n),
    _modulus("signature plus twice the modulus", lambda s, n: s + 2 * n),
    _modulus("modulus less the signature", lambda s, n: n - s),
    _modulus("the modulus", lambda _, n: n),
)
