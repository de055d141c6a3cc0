"""What the library makes an application of: our log, and beside it a schema of the application's own."""

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
    """Gives applications our log to read, and to append to where their role may.

    It is told where the log is, and who asks, in the library's own words: `POSTGRES_DBNAME`, `POSTGRES_HOST`,
    `POSTGRES_PORT`, `POSTGRES_USER`, `POSTGRES_PASSWORD`. Read models, positions, snapshots and the events of
    followers are the library's own tables in `POSTGRES_SCHEMA`, which must be the application's own.

    What is sealed is opened where `FLEETLOG_KEYS` names the key store, and what is saved then is sealed.
    """

    def __init__(self, env: Environment | EnvType | None) -> None:
        env = env if isinstance(env, Environment) else Environment(env=env)
        env.setdefault(self.ORIGINATOR_ID_TYPE, "text")  # of our streams
        super().__init__(env)
        assert isinstance(self.datastore.pool.kwargs, dict)  # noqa: S101 - so the library made it
        self.datastore.pool.kwargs |= KEEPALIVE  # a server that falls silent is given up
        if self.datastore.enable_db_functions:
            raise InfrastructureFactoryError(
                f"{self.POSTGRES_ENABLE_DB_FUNCTIONS} lets followers pass over what commits late"
            )
        self._keys = Keys() if KeySettings.load().where else None

    def application_recorder(self) -> FleetlogRecorder:
        """Open our log."""
        return FleetlogRecorder(self.datastore, self._keys)

    def close(self) -> None:
        """Leave the log, and hold no key."""
        if self._keys is not None:
            self._keys.close()
        super().close()

    def env_create_table(self) -> bool:
        """Tell whether the application's own tables are to be made.

        Raises:
            InfrastructureFactoryError: it has no schema of its own.
        """
        if not self.env.get(self.POSTGRES_SCHEMA):
            raise InfrastructureFactoryError(f"{self.POSTGRES_SCHEMA} must name a schema of one's own")
        return super().env_create_table()

    def mapper(
        self, transcoder: Transcoder | None = None, mapper_class: type[Mapper[Any]] | None = None
    ) -> Mapper[Any]:
        """Return what reads our events, and writes and reads all others as the library does."""
        if mapper_class is None and not self.env.get(self.MAPPER_TOPIC):
            mapper_class = FleetlogMapper
        mapper = super().mapper(transcoder, mapper_class)
        if isinstance(mapper, FleetlogMapper):
            mapper.recorder = self.application_recorder()
        return mapper


class FleetlogMapper(Mapper[Any]):
    """Our events go through our mapper, all others through the library's.

    Attributes:
        recorder: of the log that ours are to be saved in; None: they are saved in the clear.
    """

    recorder: FleetlogRecorder | None = None

    def to_stored_event(self, domain_event: DomainEventProtocol[Any]) -> StoredEvent:
        """Return what is to be stored of an event.

        Raises:
            OperationalError: what it is to be sealed under cannot be had now, or was erased.
        """
        if isinstance(domain_event, Event):
            key = None if self.recorder is None else self.recorder.next_key(domain_event.originator_id)
            return MAPPER.to_stored_event(domain_event, key)
        return super().to_stored_event(domain_event)

    def to_domain_event(self, stored_event: StoredEvent) -> DomainEventProtocol[Any]:
        """Return the event that is stored.

        Raises:
            UnreadableEvent: it is none of ours, or of no known shape.
            MapperDeserialisationError: it is one of the application's, and of no known shape.
        """
        if ":" in stored_event.topic:  # of a class, where ours are `<entity>.<kind>`
            return super().to_domain_event(stored_event)
        return MAPPER.to_domain_event(stored_event)
