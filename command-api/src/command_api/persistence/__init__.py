"""Our log as a persistence module of the `eventsourcing` library.

With `PERSISTENCE_MODULE=command_api.persistence` an `Application` of the library opens a running log: its
`Repository` replays any entity to any version, and its `ProjectionRunner` keeps a read model of one's own.
"""

from command_api.persistence.factory import FleetlogFactory
from command_api.persistence.recorder import FleetlogRecorder

__all__ = ["FleetlogFactory", "FleetlogRecorder"]
