"""The library's infrastructure factory for applications on the log."""

from typing import Any

from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import InfrastructureFactoryError, Mapper, StoredEvent, Transcoder
from eventsourcing.postgres import PostgresFactory
from eventsourcing.utils import Environment, EnvType

from command_api.domain.events import Event
from command_api.event_store.mapper import MAPPER
from command_api.persistence.keys import Keys
from command_api.persistence.recorder import FleetlogRecorder
from ops.base.database.connection import KEEPALIVE
from ops.base.encryption.settings import KeySettings


class FleetlogFactory(PostgresFactory):
    """Factory of recorders that read the log, and append to it if the role may.

    The library's variables name the log and the role: `POSTGRES_DBNAME`, `POSTGRES_HOST`, `POSTGRES_PORT`,
    `POSTGRES_USER`, `POSTGRES_PASSWORD`. Read models, positions, snapshots and the events of followers are
    the library's own tables in `POSTGRES_SCHEMA`, which must be the application's own schema.

    With a key store in `FLEETLOG_KEYS`, events are decrypted when read and encrypted when saved.
    """

    def __init__(self, env: Environment | EnvType | None) -> None:
        env = env if isinstance(env, Environment) else Environment(env=env)
        env.setdefault(self.ORIGINATOR_ID_TYPE, "text")  # the type of the names of our streams
        super().__init__(env)
        assert isinstance(self.datastore.pool.kwargs, dict)  # noqa: S101 - for mypy
        self.datastore.pool.kwargs |= KEEPALIVE  # drop connections to a silent server
        if self.datastore.enable_db_functions:
            raise InfrastructureFactoryError(
                f"{self.POSTGRES_ENABLE_DB_FUNCTIONS} lets followers skip events that are committed late"
            )
        self._keys = Keys() if KeySettings.load().where else None

    def application_recorder(self) -> FleetlogRecorder:
        """Return a recorder of the log."""
        return FleetlogRecorder(self.datastore, self._keys)

    def close(self) -> None:
        """Close all connections and drop all keys."""
        if self._keys is not None:
            self._keys.close()
        super().close()

    def env_create_table(self) -> bool:
        """Return whether to create the application's own tables; raises `InfrastructureFactoryError`."""
        if not self.env.get(self.POSTGRES_SCHEMA):
            raise InfrastructureFactoryError(f"{self.POSTGRES_SCHEMA} must name a schema of your own")
        return super().env_create_table()

    def mapper(
        self, transcoder: Transcoder | None = None, mapper_class: type[Mapper[Any]] | None = None
    ) -> Mapper[Any]:
        """Return a mapper for our events and the application's own."""
        if mapper_class is None and not self.env.get(self.MAPPER_TOPIC):
            mapper_class = FleetlogMapper
        mapper = super().mapper(transcoder, mapper_class)
        if isinstance(mapper, FleetlogMapper):
            mapper.recorder = self.application_recorder()
        return mapper


class FleetlogMapper(Mapper[Any]):
    """Maps our events with our mapper, and all others as the library does.

    Attributes:
        recorder: recorder of the log, which has the keys; None: our events are saved unencrypted.
    """

    recorder: FleetlogRecorder | None = None

    def to_stored_event(self, domain_event: DomainEventProtocol[Any]) -> StoredEvent:
        """Return the stored form of an event; raises `OperationalError`."""
        if isinstance(domain_event, Event):
            key = None if self.recorder is None else self.recorder.next_key(domain_event.originator_id)
            return MAPPER.to_stored_event(domain_event, key)
        return super().to_stored_event(domain_event)

    def to_domain_event(self, stored_event: StoredEvent) -> DomainEventProtocol[Any]:
        """Return a stored event.

        Raises:
            UnreadableEvent: an event of ours has an unknown type or shape.
            MapperDeserialisationError: an event of the application has an unknown shape.
        """
        if ":" in stored_event.topic:  # a class; our topics are `<entity>.<kind>`
            return super().to_domain_event(stored_event)
        return MAPPER.to_domain_event(stored_event)
