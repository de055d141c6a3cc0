"""The list of all projections. A new read model is a folder of its own and one line here."""

from typing import Final

from command_api.domain.publication import DEFAULT_POLICY, PublicationPolicy
from projections.engine.projection import Projection
from projections.entity_tables.projection import EntityProjection
from projections.revisions.projection import RevisionsProjection
from read_model.tables import ENTITY_TABLES


def projections(publishing: PublicationPolicy = DEFAULT_POLICY) -> dict[str, Projection]:
    """Return all projections by name; `publishing` adds to the fields that are declared public."""
    revisions = RevisionsProjection(publishing=publishing)
    every: tuple[Projection, ...] = (*map(EntityProjection, ENTITY_TABLES), revisions)
    return {projection.table.name: projection for projection in every}


PROJECTIONS: Final = projections()
"""The projections with default settings."""
