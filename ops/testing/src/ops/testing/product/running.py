"""What tests need to know of a running product, however it is run."""

from typing import Protocol

from ops.base.encryption.settings import KeySettings


class RunningProduct(Protocol):
    """Where it answers, its database, and its keys."""

    @property
    def command_address(self) -> str:
        """Where commands are sent to, such as `http://localhost:8080`."""

    @property
    def query_address(self) -> str:
        """Where queries are sent to."""

    @property
    def owner_dsn(self) -> str:
        """DSN of the database's owner."""

    @property
    def keys(self) -> KeySettings:
        """Where the keys are that it seals with."""
