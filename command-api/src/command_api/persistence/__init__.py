"""Persistence module of the `eventsourcing` library, for `PERSISTENCE_MODULE=command_api.persistence`."""

from command_api.persistence.factory import FleetlogFactory
from command_api.persistence.recorder import FleetlogRecorder

__all__ = ["FleetlogFactory", "FleetlogRecorder"]
