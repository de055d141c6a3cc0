"""Acknowledged reminders of drivers' documents, from the public part of the revisions."""

from typing import Final

DOCUMENTS: Final = {"licence": "driving_license_expiry", "passport": "passport_expiry_date"}
"""The driver's field with a document's last valid day, by document."""

_FIELD: Final = " ".join(f"WHEN '{document}' THEN '{field}'" for document, field in DOCUMENTS.items())
_SELECT: Final = """
SELECT DISTINCT ON (1, 2) one.entity_id, one.public_event ->> 'document', one.public_event ->> 'until'
"""
_FROM: Final = f"""
FROM read.revisions AS one
WHERE one.entity = 'driver' AND one.entity_id = ANY(%(ids)s) AND one.type = 'driver.reminder_acknowledged'
  AND NOT EXISTS (
    SELECT FROM read.revisions AS later
    WHERE later.entity = 'driver' AND later.entity_id = one.entity_id AND later.position > one.position
      AND (later.public_event -> 'masked')::jsonb ? CASE one.public_event ->> 'document' {_FIELD} END
  )
ORDER BY 1, 2, one.position DESC
"""
ACKNOWLEDGEMENTS: Final = f"{_SELECT}{_FROM}".encode()
"""SQL of driver, document and `until` of the last acknowledgements, without those of documents whose last day
a later event has set: it is never public, and a registration sets all fields."""
_AUTHOR: Final = ", one.moment, one.actor_sub, one.actor_name, one.actor_is_program"
ACKNOWLEDGED_BY: Final = f"{_SELECT}{_AUTHOR}{_FROM}".encode()
"""The same, with moment and actor, which the notifier must not read."""


def is_acknowledged(until: str | None, today: str) -> bool:
    """Return whether an acknowledgement of `ACKNOWLEDGEMENTS` lasts; days are written `YYYY-MM-DD`."""
    return until is None or today < until
