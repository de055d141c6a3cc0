"""SQL that decides which revisions are masked: those of restricted streams, and those before an erasure."""

from ops.base.records.masks import ERASED, MASKED


def event_kind(row: str) -> str:
    """Return SQL of a revision's event type without its entity type, such as `removed`."""
    return f"split_part({row}.type, '.', 2)"


def is_privacy_event(row: str) -> str:
    """Return SQL of whether a revision sets or lifts a restriction, or erases.

    The partial index `revisions_of_privacy` has the same condition, in the same words.
    """
    return f"{event_kind(row)} IN ('restricted', 'hold_set', 'restriction_lifted', 'erased')"


def masked_as(row: str) -> str:
    """Return SQL of why personal data of a revision is masked, or null if it is not.

    The reason is the name of the JSON member that lists masked fields: `ERASED`, or `MASKED` while the stream
    is restricted.
    """
    return f"""(
      SELECT CASE
        WHEN max(event.version) FILTER (WHERE {event_kind("event")} = 'erased') >= {row}.version
          THEN '{ERASED}'
        WHEN (array_agg({event_kind("event")} ORDER BY event.version DESC))[1] IN ('restricted', 'hold_set')
          THEN '{MASKED}'
      END
      FROM read.revisions AS event
      WHERE event.entity = {row}.entity AND event.entity_id = {row}.entity_id AND {is_privacy_event("event")}
    )"""  # noqa: S608 - constants only
