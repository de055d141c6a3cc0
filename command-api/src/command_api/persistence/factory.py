"""What the library makes an application of: our log, and beside it a schema of the application's own."""

from typing import Any

from eventsourcing.persistence import InfrastructureFactoryError, Mapper, Transcoder
from eventsourcing.postgres import PostgresFactory
from eventsourcing.utils import Environment, EnvType
from psycopg.conninfo import make_conninfo

from command_api.persistence.mapper import FleetlogMapper
from command_api.persistence.recorder import FleetlogRecorder


class FleetlogFactory(PostgresFactory):
    """Gives applications our log to read, and to append to where their role may.

    It is told where the log is, and who asks, in the library's own words: `POSTGRES_DBNAME`, `POSTGRES_HOST`,
    `POSTGRES_PORT`, `POSTGRES_USER`, `POSTGRES_PASSWORD`. Read models, positions, snapshots and the events of
    followers are the library's own tables in `POSTGRES_SCHEMA`, which must be the application's own.
    """

    def __init__(self, env: Environment | EnvType | None) -> None:
        env = env if isinstance(env, Environment) else Environment(env=env)
        env.setdefault(self.ORIGINATOR_ID_TYPE, "text")  # of our streams
        super().__init__(env)
        if self.datastore.enable_db_functions:
            raise InfrastructureFactoryError(
                f"{self.POSTGRES_ENABLE_DB_FUNCTIONS} lets followers pass over what commits late"
            )
        self._recorders: list[FleetlogRecorder] = []

    def application_recorder(self) -> FleetlogRecorder:
        """Open our log."""
        recorder = FleetlogRecorder(self._dsn())
        self._recorders.append(recorder)
        return recorder

    def aggregate_recorder(self, purpose: str = "events") -> Any:
        """Open a table of snapshots in the schema of one's own."""
        self._require_schema()
        return super().aggregate_recorder(purpose)

    def tracking_recorder(self, tracking_recorder_class: Any = None) -> Any:
        """Open a read model in the schema of one's own."""
        self._require_schema()
        return super().tracking_recorder(tracking_recorder_class)

    def process_recorder(self) -> Any:
        """Open the events of an application that follows others, in the schema of one's own."""
        self._require_schema()
        return super().process_recorder()

    def mapper(
        self, transcoder: Transcoder | None = None, mapper_class: type[Mapper[Any]] | None = None
    ) -> Mapper[Any]:
        """Return what reads our events, and writes and reads all others as the library does."""
        if mapper_class is None and not self.env.get(self.MAPPER_TOPIC):
            mapper_class = FleetlogMapper
        return super().mapper(transcoder, mapper_class)

    def close(self) -> None:
        """Close all connections."""
        for recorder in self._recorders:
            recorder.close()
        self._recorders.clear()
        super().close()

    def _dsn(self) -> str:
        pool = self.datastore.pool
        assert isinstance(pool.kwargs, dict)  # noqa: S101 - so the library made it
        where = {name: value for name, value in pool.kwargs.items() if name != "row_factory"}
        if pool.get_password_func:
            where["password"] = pool.get_password_func()
        return make_conninfo(**where)

    def _require_schema(self) -> None:
        if not self.env.get(self.POSTGRES_SCHEMA):
            raise InfrastructureFactoryError(f"{self.POSTGRES_SCHEMA} must name a schema of one's own")
