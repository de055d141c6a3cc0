"""The secrets with which webhooks are signed (https://www.standardwebhooks.com)."""

import hmac
from base64 import b64encode
from datetime import timedelta
from typing import Final

from ops.base.encryption.keys import Key

OVERLAP: Final = timedelta(hours=24)
"""Time after a change of the secret during which the former one signs too."""


def webhook_secret(key: Key, subscription_id: str, generation: int) -> str:
    """Return a secret of a subscription. It is derived, so that nothing is stored and an erasure destroys it.

    Args:
        key: the data key of the subscription's record.
        generation: `secret_generation` of the record.
    """
    purpose = f"webhook|{subscription_id}|{generation}"
    return f"whsec_{b64encode(hmac.digest(key.secret, purpose.encode(), 'sha256')).decode()}"
