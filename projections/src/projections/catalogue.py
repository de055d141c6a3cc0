"""All projections there are. A new read model is a folder of its own and one line here."""

from typing import Final

from projections.entity_tables.projection import EntityProjection
from projections.projection import Projection
from projections.revisions.projection import RevisionsProjection
from projections.tables import ENTITY_TABLES

_ALL: Final[tuple[Projection, ...]] = (*map(EntityProjection, ENTITY_TABLES), RevisionsProjection())

PROJECTIONS: Final[dict[str, Projection]] = {projection.table.name: projection for projection in _ALL}
