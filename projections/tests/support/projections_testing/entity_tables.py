"""The product's entity tables by name."""

from projections.tables import ENTITY_TABLES

DRIVERS, HORSES, LOCATIONS, TRAILERS = ENTITY_TABLES
