"""Single current records, each read together with its entity tag and so from one moment."""

from typing import Final

from psycopg import sql

from ops.base.http.record_etags import RecordETag
from query_api.database.decryption import decrypt_record
from query_api.database.source import KeyedRows, Source
from query_api.http.representation import Content, Missing
from read_model.tables import ENTITY_TABLES, EntityTable

_SINGLES: Final = sql.SQL(
    """
    SELECT
      wanted.id,
      kept.version,
      kept.restricted,
      identity.log_id,
      EXISTS (
        SELECT FROM read.quarantined_streams
        WHERE projection = {name} AND originator_id = {prefix} || wanted.id
      ),
      kept.key_id,
      kept.box,
      convert_to(kept.record::text, 'UTF8')
    FROM unnest(%s::text[]) AS wanted (id)
      CROSS JOIN log.identity
      LEFT JOIN {table} AS kept ON kept.id = wanted.id
    """
)


class Records:
    """Reads current records."""

    def __init__(self, source: Source) -> None:
        self._rows = {table.name: KeyedRows(source, _statement(table)) for table in ENTITY_TABLES}

    async def single(self, table: EntityTable, entity_id: str) -> Content | Missing:
        """Return one record, wrapped as the specification requires, unmasked even if restricted."""

        version, restricted, log_id, stale, key_id, box, record = await self._rows[table.name].get(entity_id)
        if record is None:
            return Missing(stale)
        record = await decrypt_record(table, entity_id, version, key_id, box) or record
        json = table.entity.wrap_json(record)
        return Content(str(RecordETag.of(version, log_id, json)), json, stale, restricted=restricted)


def _statement(table: EntityTable) -> bytes:
    return _SINGLES.format(
        name=sql.Literal(table.name),
        prefix=sql.Literal(f"{table.entity.name}:"),
        table=table.identifier,
    ).as_bytes(None)
