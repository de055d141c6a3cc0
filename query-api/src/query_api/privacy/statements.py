"""Statements that read privacy requests, statuses and receipts."""

from typing import Final

from query_api.masking.restrictions import event_kind, is_privacy_event, masked_as

MOST_REQUESTS: Final = 1_000


def _kind_of(row: str) -> str:
    """Return SQL of a privacy event's kind, with the condition of the partial index."""
    return f"{is_privacy_event(row)} AND {event_kind(row)}"


# A request begins with a restriction, and ends when the restriction is lifted or the record is erased.
_REQUESTS: Final = f"""
SELECT request.entity, request.entity_id, request.version, request.moment, request.actor_sub, request.key_id,
  request.ciphertext, request.actor_name, request.public_event ->> 'basis' AS basis,
  request.public_event ->> 'due' AS due, held.until, ended.kind AS ended_by,
  ended.version AS ended_version, ended.moment AS ended_at, ended.actor_sub AS ended_sub,
  coalesce(erasure.receipt IS NOT NULL, false) AS receipt, {masked_as("request")} AS masked_as
FROM read.revisions AS request
LEFT JOIN LATERAL (
  SELECT {event_kind("ending")} AS kind, version, moment, actor_sub
  FROM read.revisions AS ending
  WHERE ending.entity = request.entity AND ending.entity_id = request.entity_id
    AND ending.version > request.version AND {_kind_of("ending")} IN ('restriction_lifted', 'erased')
  ORDER BY version LIMIT 1
) AS ended ON true
LEFT JOIN LATERAL (
  SELECT holding.public_event ->> 'until' AS until
  FROM read.revisions AS holding
  WHERE holding.entity = request.entity AND holding.entity_id = request.entity_id
    AND holding.version > request.version AND (ended.version IS NULL OR holding.version < ended.version)
    AND {_kind_of("holding")} = 'hold_set'
  ORDER BY version DESC LIMIT 1
) AS held ON true
LEFT JOIN privacy.erasures AS erasure
  ON erasure.entity = request.entity AND erasure.entity_id = request.entity_id
    AND erasure.version = ended.version
WHERE {_kind_of("request")} = 'restricted' AND ended.kind IS DISTINCT FROM 'restriction_lifted'
"""

ALL: Final = f"""
SELECT * FROM ({_REQUESTS}) AS found
ORDER BY receipt, CASE WHEN NOT receipt THEN due END, coalesce(ended_at, moment) DESC, entity, entity_id
LIMIT {MOST_REQUESTS}
"""

OF_STREAM: Final = f"""
SELECT * FROM ({_REQUESTS} AND request.entity = %(entity)s AND request.entity_id = %(id)s) AS found
ORDER BY version DESC LIMIT 1
"""

# An erasure ends a registration; later events belong to the next one.
LATEST: Final = f"""
SELECT latest.version, latest.key_id, latest.ciphertext, convert_to(latest.state::text, 'UTF8'),
  {masked_as("latest")}, registration.events, registration.in_the_clear
FROM read.revisions AS latest
CROSS JOIN LATERAL (
  SELECT count(*) AS events, count(*) FILTER (WHERE key_id IS NULL) AS in_the_clear
  FROM read.revisions AS event
  WHERE event.entity = latest.entity AND event.entity_id = latest.entity_id AND event.version > coalesce((
    SELECT max(version) FROM read.revisions AS before
    WHERE before.entity = latest.entity AND before.entity_id = latest.entity_id
      AND before.version < latest.version AND {_kind_of("before")} = 'erased'
  ), 0)
) AS registration
WHERE latest.entity = %(entity)s AND latest.entity_id = %(id)s
ORDER BY latest.version DESC LIMIT 1
"""

RECEIPT: Final = f"""
SELECT version, erasure.receipt
FROM read.revisions AS ended LEFT JOIN privacy.erasures AS erasure USING (entity, entity_id, version)
WHERE entity = %(entity)s AND entity_id = %(id)s AND {_kind_of("ended")} = 'erased'
  AND (%(version)s::bigint IS NULL OR version = %(version)s)
ORDER BY version DESC LIMIT 1
"""
