"""A server's self-signed certificate."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

CERTIFICATE: Final = "certificate.pem"


def self_signed(folder: Path, *, valid_days: int = 1) -> Path:
    """Create a certificate of 127.0.0.1 and its key, in one file.

    Args:
        valid_days: from now; negative for one that has expired.
    """
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    expiry = now + timedelta(days=valid_days)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "unknown")])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, min(now, expiry - timedelta(days=1)), expiry)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / CERTIFICATE
    path.write_bytes(
        certificate.public_bytes(Encoding.PEM)
        + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    return path
