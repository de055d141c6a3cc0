"""Time stamps of checkpoints (RFC 3161): an authority's signed statement that a text existed at a time."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from rfc3161_client import (
    HashAlgorithm,
    TimeStampRequest,
    TimestampRequestBuilder,
    TimeStampResponse,
    VerifierBuilder,
    decode_timestamp_response,
)

from ops.tamper_evidence.checkpoints import Checkpoint

TOLERANCE: Final = timedelta(minutes=5)
"""How far the sealer's clock may be ahead of the authority's."""
_SHA_2: Final = {f"2.16.840.1.101.3.4.2.{number}" for number in (1, 2, 3)}
"""SHA-256, SHA-384 and SHA-512."""
_SHA_256: Final = "2.16.840.1.101.3.4.2.1"


class BadTimeStamp(Exception):
    """A response is no time stamp of the checkpoint by a trusted authority."""


def read_authorities(pem: bytes) -> list[x509.Certificate]:
    """Return the certificates of a PEM file; raise ValueError if it has none."""
    return x509.load_pem_x509_certificates(pem)


def time_stamp_request(text: str) -> TimeStampRequest:
    """Return a request with the SHA-256 of a checkpoint's text, a nonce, and a wish for the certificates."""
    return TimestampRequestBuilder().data(text.encode()).hash_algorithm(HashAlgorithm.SHA256).build()


def check_time_stamp(
    response: bytes,
    checkpoint: Checkpoint,
    authorities: Sequence[x509.Certificate],
    *,
    nonce: int | None = None,
) -> datetime:
    """Return when an authority stamped a checkpoint.

    Stamps that a simple verifier could not read are refused as well: it needs the certificates, and RSA or
    ECDSA with SHA-2.

    Args:
        response: a complete TimeStampResp in DER.
        authorities: the trusted root certificates.
        nonce: the request's; None: unknown.

    Raises:
        BadTimeStamp: the response is not such a stamp.
    """
    verifier = VerifierBuilder(roots=[*authorities], nonce=nonce).build()
    try:
        stamp = decode_timestamp_response(response)
        verifier.verify(stamp, sha256(checkpoint.text().encode()).digest())
        _require_simple(stamp)
        moment = stamp.tst_info.gen_time
    except Exception as error:  # noqa: BLE001 - the library raises whatever the ASN.1 of a response causes
        raise BadTimeStamp(str(error).partition("\n")[0]) from None
    if checkpoint.moment is not None and moment < checkpoint.moment - TOLERANCE:
        raise BadTimeStamp("the time stamp is older than the checkpoint")
    return moment


def check_imprint(response: bytes, checkpoint: Checkpoint) -> None:
    """Raise BadTimeStamp unless a response is about a checkpoint; whose it is, is not checked."""
    try:
        imprint = decode_timestamp_response(response).tst_info.message_imprint.message
    except Exception as error:  # noqa: BLE001 - see above
        raise BadTimeStamp(str(error).partition("\n")[0]) from None
    if imprint != sha256(checkpoint.text().encode()).digest():
        raise BadTimeStamp("it is of another text")


def _require_simple(stamp: TimeStampResponse) -> None:
    if stamp.tst_info.message_imprint.hash_algorithm.dotted_string != _SHA_256:
        raise ValueError("the imprint is not of SHA-256")
    if not {one.dotted_string for one in stamp.signed_data.digest_algorithms} <= _SHA_2:
        raise ValueError("the digest is not of SHA-2")
    certificates = [x509.load_der_x509_certificate(one) for one in stamp.signed_data.certificates]
    # The library finds the signer by these two, so another certificate could pass its check for the signer's.
    if len({(one.issuer, one.serial_number) for one in certificates}) < len(certificates):
        raise ValueError("several certificates have the same issuer and number")
    (signer,) = stamp.signed_data.signer_infos
    found = [
        one
        for one in certificates
        if (one.issuer, one.serial_number) == (signer.issuer, signer.serial_number)
    ]
    if not found or not isinstance(found[0].public_key(), RSAPublicKey | EllipticCurvePublicKey):
        raise ValueError("the signer's certificate is missing, or its key neither RSA nor ECDSA")
