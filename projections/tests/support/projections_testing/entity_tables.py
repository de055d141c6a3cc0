"""The product's entity tables by name."""

from read_model.tables import ENTITY_TABLES

_, DRIVERS, HORSES, LOCATIONS, SUBSCRIPTIONS, TRAILERS = ENTITY_TABLES
