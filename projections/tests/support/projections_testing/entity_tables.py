"""The product's entity tables by name."""

from projections.tables import ENTITY_TABLES

DRIVERS, TRAILERS, HORSES, LOCATIONS = ENTITY_TABLES
