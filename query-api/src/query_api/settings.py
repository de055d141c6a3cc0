"""What the query API reads from its environment, beside what every service does."""

from typing import Self

from pydantic import Field, SecretStr, model_validator

from ops.base.settings import ServiceSettings


class QuerySettings(ServiceSettings):
    """The environment of a query API."""

    read_database: SecretStr | None = Field(
        default=None,
        description="DSN of a streaming replica of the database, with the same role and password",
    )

    @model_validator(mode="after")
    def _complete_the_replica(self) -> Self:
        if self.read_database is not None:
            self.read_database = self.with_password(self.read_database, "READ_DATABASE")
        return self

    @property
    def replica(self) -> str | None:
        """DSN of the replica; None: there is none."""
        return None if self.read_database is None else self.read_database.get_secret_value()
