"""Links in mails, which are signed and expire."""

import hmac
from base64 import urlsafe_b64encode
from datetime import UTC, date, datetime, timedelta
from typing import Final, Literal, NamedTuple, Self

from ops.base.encryption.keys import Key

LASTING: Final = timedelta(days=14)


class SignedLink(NamedTuple):
    """The value of a link's query parameter: `SUBSCRIPTION.LAST_DAY.SIGNATURE`."""

    subscription: str
    """The subscription whose data key signs, so that an erasure invalidates its links."""
    last_day: str
    signature: str

    @classmethod
    def sign(cls, key: Key, subscription: str, purpose: str, day: date) -> Self:
        """Return a link that is valid for `LASTING`.

        Args:
            purpose: the only use of the link; it is not part of the text.
            day: the first day, in UTC.
        """
        return cls._on(key, subscription, purpose, str(day + LASTING))

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Return the link of a text, of any signature; None if it has another form."""
        parts = text.rsplit(".", 2)
        return cls(*parts) if len(parts) == 3 else None

    def check(self, key: Key, purpose: str) -> Literal["valid", "expired", "forged"]:
        """Return whether the link has its signature, and whether its time is over."""
        signed = self._on(key, self.subscription, purpose, self.last_day)
        if not hmac.compare_digest(signed.signature.encode(), self.signature.encode()):
            return "forged"
        return "expired" if self.last_day < datetime.now(UTC).date().isoformat() else "valid"

    def __str__(self) -> str:
        """Return the text."""
        return ".".join(self)

    @classmethod
    def _on(cls, key: Key, subscription: str, purpose: str, last_day: str) -> Self:
        signed = hmac.digest(key.secret, f"link|{subscription}|{last_day}|{purpose}".encode(), "sha256")
        return cls(subscription, last_day, urlsafe_b64encode(signed).decode().rstrip("="))


def acknowledge_purpose(driver: str, document: str) -> str:
    """Return the purpose of a link that opens the acknowledgement of a reminder."""
    return f"acknowledge|{driver}|{document}"


def confirm_purpose(recipient: str) -> str:
    """Return the purpose of a link that confirms an address, which only mails to it contain."""
    return f"confirm|{recipient}"


def recipient_mark(key: Key, recipient: str) -> bytes:
    """Return a digest of a confirmed address, which reveals nothing without the key."""
    return hmac.digest(key.secret, f"recipient|{recipient}".encode(), "sha256")
