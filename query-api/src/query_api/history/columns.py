"""What statements read of a revision that tells of a change; see `changes`."""

from typing import Final

from psycopg import sql

from query_api.masking.record_names import NAME_FIELDS, PERSONAL_NAMES
from query_api.masking.withheld import withheld

_COLUMNS: Final = """
    position, entity, entity_id, version, type, moment, actor_sub, actor_name, request_id, client_request_id,
    reason, convert_to(changes::text, 'UTF8') AS changes, personal,
    CASE WHEN type = entity || '.hold_set' THEN coalesce(public_event ->> 'until', '') END AS hold_until,
    (public_event ->> 'undoes')::int8 AS undoes, public_event ->> 'batch' AS batch,
"""
_WITHHELD: Final = f"{withheld('measured')} AS withheld"
_UNOPENED: Final = "NULL::text, NULL::bytea"
COLUMNS: Final = sql.SQL(f"{_COLUMNS} {_WITHHELD}, NULL, {_UNOPENED}, key_id, box")
"""What `changes.changes_in` takes."""

FORMER: Final = """
SELECT state AS former_state, key_id AS former_key_id, box AS former_box
FROM {table} AS former
WHERE revision.state IS NULL
  AND (former.entity, former.entity_id, former.version)
    = (revision.entity, revision.entity_id, revision.version - 1)
"""
"""SQL of the revision before one that ended a record, which tells what that was called."""
_NAME_FIELD: Final = " ".join(f"WHEN '{entity}' THEN '{field}'" for entity, field in NAME_FIELDS.items())
_PERSONAL_NAMES: Final = ", ".join(f"'{entity}'" for entity in PERSONAL_NAMES)
NAME: Final = f"""
CASE WHEN key_id IS NULL OR entity NOT IN ({_PERSONAL_NAMES})
  THEN coalesce(state, former_state) ->> CASE entity {_NAME_FIELD} END
END
"""
"""SQL of what the record was called, as far as that is not sealed; stands on `FORMER`."""
NAMED_COLUMNS: Final = sql.SQL(f"{_COLUMNS} {_WITHHELD}, {NAME}, former_key_id, former_box, key_id, box")
"""`COLUMNS` of changes that tell it."""
MASKED_COLUMNS: Final = sql.SQL(f"{_COLUMNS} NULL AS withheld, {NAME}, {_UNOPENED}, {_UNOPENED}")
"""The same for those who may not see personal data: nothing is opened for them."""
FIELDS: Final = """
SELECT change ->> 'field' FROM json_array_elements(changes) AS change
UNION ALL
SELECT name FROM json_array_elements_text(personal) AS name
WHERE key_id IS NOT NULL AND type = entity || '.registered'
"""
"""SQL of which fields one has set; of a registration that is sealed it may be fewer of the personal ones."""
BYTES: Final = "read.json_bytes(changes) + coalesce(octet_length(box), 0)"
"""SQL of how long one is."""
NAMED_BYTES: Final = f"{BYTES} + coalesce(octet_length(former_box), 0)"
"""The same of `NAMED_COLUMNS`."""
