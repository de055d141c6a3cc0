"""All projections there are. A new read model is a folder of its own and one line here."""

from typing import Final

from projections.entity_tables.projection import EntityProjection
from projections.projection import Projection
from projections.revisions.projection import RevisionsProjection
from projections.tables import ENTITY_TABLES


def projections(*, publish_free_text: bool = False) -> dict[str, Projection]:
    """Return all projections by name.

    Args:
        publish_free_text: whether public events show free text, which may name people.
    """
    revisions = RevisionsProjection(publish_free_text=publish_free_text)
    every: tuple[Projection, ...] = (*map(EntityProjection, ENTITY_TABLES), revisions)
    return {projection.table.name: projection for projection in every}


PROJECTIONS: Final = projections()
"""As they are without any setting."""
