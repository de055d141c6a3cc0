"""The statements that read how it stands."""

from typing import Final

from query_api.masking.withheld import kind, tells_of_it, withheld

MOST_REQUESTS: Final = 1_000


def _told_of(row: str) -> str:
    """Return SQL of what a revision is, of those that tell of it."""
    return f"{tells_of_it(row)} AND {kind(row)}"


# What was asked for begins with a restriction, and ends with its lifting, or by erasing.
_REQUESTS: Final = f"""
SELECT asked.entity, asked.entity_id, asked.version, asked.moment, asked.actor_sub, asked.key_id, asked.box,
  asked.actor_name, asked.public_event ->> 'basis' AS basis, asked.public_event ->> 'due' AS due, held.until,
  ended.kind AS ended_by, ended.version AS ended_version, ended.moment AS ended_at,
  ended.actor_sub AS ended_sub,
  coalesce(erasure.receipt IS NOT NULL, false) AS receipt, {withheld("asked")} AS withheld
FROM read.revisions AS asked
LEFT JOIN LATERAL (
  SELECT {kind("ending")} AS kind, version, moment, actor_sub
  FROM read.revisions AS ending
  WHERE ending.entity = asked.entity AND ending.entity_id = asked.entity_id
    AND ending.version > asked.version AND {_told_of("ending")} IN ('restriction_lifted', 'erased')
  ORDER BY version LIMIT 1
) AS ended ON true
LEFT JOIN LATERAL (
  SELECT holding.public_event ->> 'until' AS until
  FROM read.revisions AS holding
  WHERE holding.entity = asked.entity AND holding.entity_id = asked.entity_id
    AND holding.version > asked.version AND (ended.version IS NULL OR holding.version < ended.version)
    AND {_told_of("holding")} = 'hold_set'
  ORDER BY version DESC LIMIT 1
) AS held ON true
LEFT JOIN privacy.erasures AS erasure
  ON erasure.entity = asked.entity AND erasure.entity_id = asked.entity_id AND erasure.version = ended.version
WHERE {_told_of("asked")} = 'restricted' AND ended.kind IS DISTINCT FROM 'restriction_lifted'
"""

ALL: Final = f"""
SELECT * FROM ({_REQUESTS}) AS request
ORDER BY receipt, CASE WHEN NOT receipt THEN due END, coalesce(ended_at, moment) DESC, entity, entity_id
LIMIT {MOST_REQUESTS}
"""

OF_STREAM: Final = f"""
SELECT * FROM ({_REQUESTS} AND asked.entity = %(entity)s AND asked.entity_id = %(id)s) AS request
ORDER BY version DESC LIMIT 1
"""

# A life ends by erasing; what comes after that is another's.
LATEST: Final = f"""
SELECT latest.version, latest.key_id, latest.box, convert_to(latest.state::text, 'UTF8'),
  {withheld("latest")}, life.events, life.in_the_clear
FROM read.revisions AS latest
CROSS JOIN LATERAL (
  SELECT count(*) AS events, count(*) FILTER (WHERE key_id IS NULL) AS in_the_clear
  FROM read.revisions AS lived
  WHERE lived.entity = latest.entity AND lived.entity_id = latest.entity_id AND lived.version > coalesce((
    SELECT max(version) FROM read.revisions AS before
    WHERE before.entity = latest.entity AND before.entity_id = latest.entity_id
      AND before.version < latest.version AND {_told_of("before")} = 'erased'
  ), 0)
) AS life
WHERE latest.entity = %(entity)s AND latest.entity_id = %(id)s
ORDER BY latest.version DESC LIMIT 1
"""

RECEIPT: Final = f"""
SELECT version, erasure.receipt
FROM read.revisions AS ended LEFT JOIN privacy.erasures AS erasure USING (entity, entity_id, version)
WHERE entity = %(entity)s AND entity_id = %(id)s AND {_told_of("ended")} = 'erased'
  AND (%(version)s::bigint IS NULL OR version = %(version)s)
ORDER BY version DESC LIMIT 1
"""
