"""Settings of the Kafka cluster and its authentication."""

from pathlib import Path
from typing import Any, Final, Literal, Self

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import SettingsConfigDict

from ops.base.settings import Settings, read_secret

PREFIX: Final = "FLEETLOG_KAFKA_"

MAX_RECORD_BYTES: Final = 8_000_000
"""Twice the largest request body, because a change contains old and new values."""


class KafkaSettings(Settings):
    """Environment variables named `FLEETLOG_KAFKA_…`."""

    model_config = SettingsConfigDict(env_prefix=PREFIX)

    servers: str = Field(min_length=1, description="bootstrap servers: HOST:PORT[,HOST:PORT…]")
    partitions: int = Field(default=6, ge=1, description="partitions of new topics; fixed from then on")
    replication_factor: int = Field(
        default=-1, ge=-1, description="replication factor of new topics; -1: the broker's default"
    )
    compression: Literal["gzip", "none"] = "gzip"
    security_protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = "PLAINTEXT"
    sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] | None = None
    sasl_username: str | None = None
    sasl_password: SecretStr | None = None
    sasl_password_file: Path | None = Field(default=None, description="file with the password")
    ssl_cafile: str | None = Field(default=None, description="PEM file; None: the system's authorities")
    ssl_certfile: str | None = Field(default=None, description="PEM file with the client certificate")
    ssl_keyfile: str | None = None
    ssl_password: SecretStr | None = Field(default=None, description="password of the key")
    ssl_password_file: Path | None = Field(default=None, description="file with the key's password")
    ssl_check_hostname: bool = True

    @model_validator(mode="after")
    def _read_passwords(self) -> Self:
        if self.sasl_password_file is not None:
            self.sasl_password = _password(self.sasl_password_file, "SASL_PASSWORD_FILE")
        if self.ssl_password_file is not None:
            self.ssl_password = _password(self.ssl_password_file, "SSL_PASSWORD_FILE")
        return self

    def client_options(self) -> dict[str, Any]:
        """Return the common options of all kafka-python clients, with short timeouts."""
        equal_names = {"security_protocol", "sasl_mechanism"}
        equal_names |= {"ssl_cafile", "ssl_certfile", "ssl_keyfile", "ssl_check_hostname"}
        return {
            **self.model_dump(include=equal_names),
            "bootstrap_servers": self.servers.split(","),
            "sasl_plain_username": self.sasl_username,
            "sasl_plain_password": self.sasl_password.get_secret_value() if self.sasl_password else None,
            "ssl_password": self.ssl_password.get_secret_value() if self.ssl_password else None,
            "bootstrap_timeout_ms": 5_000,
            "request_timeout_ms": 10_000,
            "reconnect_backoff_max_ms": 1_000,
        }


def _password(path: Path, name: str) -> SecretStr:
    return SecretStr(read_secret(path, f"{PREFIX}{name}", remedy=""))
