"""Algorithm confusion: other algorithms in the header, and signatures by other algorithms."""

import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from typing import Final

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding
from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes

from ops.testing.bad_tokens.builders import BadToken, header, signed_by
from ops.testing.token_issuer import TokenIssuer, public_jwk

_Encoding = serialization.Encoding
_Format = serialization.PublicFormat


def _first(issuer: TokenIssuer) -> tuple[str, PublicKeyTypes]:
    kid, key = next(iter(issuer.keys.items()))
    return kid, key.public_key()


def _public(encoding: _Encoding, form: _Format) -> Callable[[TokenIssuer], bytes]:
    return lambda issuer: _first(issuer)[1].public_bytes(encoding, form)


_SECRETS: Final[dict[str, Callable[[TokenIssuer], bytes]]] = {
    "the public key": _public(_Encoding.PEM, _Format.SubjectPublicKeyInfo),
    "the public key without its last line break": lambda issuer: _SECRETS["the public key"](issuer).rstrip(),
    "the public key in PKCS 1": _public(_Encoding.PEM, _Format.PKCS1),
    "the public key in DER": _public(_Encoding.DER, _Format.SubjectPublicKeyInfo),
    "the public key in PKCS 1 and DER": _public(_Encoding.DER, _Format.PKCS1),
    "the public key in JSON": lambda issuer: json.dumps(
        public_jwk(*next(iter(issuer.keys.items())))
    ).encode(),
    "nothing": lambda _: b"",
    "NUL": lambda _: b"\0",
    "the kid": lambda issuer: _first(issuer)[0].encode(),
    "the issuer": lambda issuer: issuer.issuer.encode(),
    "the audience": lambda issuer: issuer.audience.encode(),
    "secret": lambda _: b"secret",
}

_HASHES: Final = {"HS256": hashlib.sha256, "HS384": hashlib.sha384, "HS512": hashlib.sha512}


def _keyed_hashes() -> Iterator[BadToken]:
    for name, secret in _SECRETS.items():
        for algorithm, digest in _HASHES.items():

            def sign(
                issuer: TokenIssuer,
                data: bytes,
                secret: Callable[[TokenIssuer], bytes] = secret,
                digest: Callable[..., object] = digest,
            ) -> bytes:
                return hmac.new(secret(issuer), data, digest).digest()  # type: ignore[arg-type]

            yield signed_by(f"{algorithm} keyed with {name}", "algorithm", sign, alg=algorithm)
            if algorithm == "HS256":
                yield signed_by(f"{algorithm} keyed with {name}, declared as RS256", "signature", sign)


def _rsa(
    scheme: padding.AsymmetricPadding, digest: hashes.HashAlgorithm
) -> Callable[[TokenIssuer, bytes], bytes]:
    return lambda issuer, data: next(iter(issuer.keys.values())).sign(data, scheme, digest)


def _pss(digest: hashes.HashAlgorithm) -> Callable[[TokenIssuer, bytes], bytes]:
    return _rsa(padding.PSS(padding.MGF1(digest), digest.digest_size), digest)


def _elliptic(_: TokenIssuer, data: bytes) -> bytes:
    return ec.generate_private_key(ec.SECP256R1()).sign(data, ec.ECDSA(hashes.SHA256()))


def _edwards(_: TokenIssuer, data: bytes) -> bytes:
    return ed25519.Ed25519PrivateKey.generate().sign(data)


def _unsigned(_issuer: TokenIssuer, _data: bytes) -> bytes:
    return b"\0\0"


_BY_OUR_KEY: Final = {
    "RS384": _rsa(padding.PKCS1v15(), hashes.SHA384()),
    "RS512": _rsa(padding.PKCS1v15(), hashes.SHA512()),
    "RS1": _rsa(padding.PKCS1v15(), hashes.SHA1()),  # noqa: S303 - a bad token
    "PS256": _pss(hashes.SHA256()),
    "PS384": _pss(hashes.SHA384()),
    "PS512": _pss(hashes.SHA512()),
}

_NAMES: Final[tuple[object, ...]] = (
    *(
        "",
        " ",
        "none",
        "None",
        "NONE",
        "nOnE",
        "null",
        "rs256",
        "Rs256",
        "RS256 ",
        " RS256",
        "RS256\0",
        "RS-256",
    ),
    *("RSA", "RSA256", "RSA-OAEP", "RSA1_5", "dir", "A128KW", "HS256", "ES384", "ES512", "ES256K", "SHA256"),
    *(
        ["RS256"],
        ["none", "RS256"],
        {"RS256": 1},
        None,
        256,
        True,
        TokenIssuer.DROP,
        "\uff32S256",
        "RS256,none",
    ),
)

TOKENS: Final = (
    *(header("alg", value, "algorithm") for value in _NAMES),
    *(
        signed_by(f"{name} with an empty signature", "algorithm", _unsigned, alg=name)
        for name in ("none", "None", "NONE", "nonE")
    ),
    signed_by("RS256 with an empty signature", "signature", _unsigned),
    *_keyed_hashes(),
    *(signed_by(f"{name} by our key", "algorithm", sign, alg=name) for name, sign in _BY_OUR_KEY.items()),
    *(
        signed_by(f"{name} by our key, declared as RS256", "signature", sign)
        for name, sign in _BY_OUR_KEY.items()
    ),
    signed_by("ES256", "algorithm", _elliptic, alg="ES256"),
    signed_by("ES256, declared as RS256", "signature", _elliptic),
    signed_by("EdDSA", "algorithm", _edwards, alg="EdDSA"),
    signed_by("EdDSA, declared as RS256", "signature", _edwards),
)
