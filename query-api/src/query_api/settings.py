"""The query API's settings, in addition to those of every service."""

from typing import Self

from pydantic import Field, SecretStr, model_validator

from ops.base.settings import ServiceSettings


class QuerySettings(ServiceSettings):
    """Settings of the query API, from its environment."""

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
        """DSN of the replica, if one is configured."""
        return None if self.read_database is None else self.read_database.get_secret_value()
