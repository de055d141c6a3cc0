"""What tests need to know of a running product, however it is run."""

from typing import Protocol


class RunningProduct(Protocol):
    """Where it answers, and its database."""

    @property
    def command_address(self) -> str:
        """Where commands are sent to, such as `http://localhost:8080`."""

    @property
    def query_address(self) -> str:
        """Where queries are sent to."""

    @property
    def owner_dsn(self) -> str:
        """DSN of the database's owner."""
