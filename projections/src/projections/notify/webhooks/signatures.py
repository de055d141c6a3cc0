"""Signatures of webhooks (https://github.com/standard-webhooks/standard-webhooks)."""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Iterable
from datetime import datetime


def signed_headers(message_id: str, moment: datetime, body: bytes, secrets: Iterable[str]) -> dict[str, str]:
    """Return the headers of a message, with a signature by each secret."""
    timestamp = str(int(moment.timestamp()))
    content = b"%b.%b.%b" % (message_id.encode(), timestamp.encode(), body)
    signatures = [
        b64encode(hmac.digest(b64decode(secret.removeprefix("whsec_")), content, "sha256")).decode()
        for secret in secrets
    ]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{signature}" for signature in signatures),
    }
