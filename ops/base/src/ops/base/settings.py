"""Settings that every service reads from its environment."""

from pathlib import Path
from typing import Annotated, Final, Literal, Self, TypeVar

from pydantic import BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from ops.base.addresses import is_confidential, is_local
from ops.base.permissions import OF_STAFF, PERMISSIONS_CLAIM, Permission

PREFIX = "FLEETLOG_"
REQUESTS_PER_SUBJECT: Final = 256


StallSeconds = Annotated[
    float, Field(ge=0, description="for how long its event loop may stand still before it ends; 0: for ever")
]
STALL_SECONDS: Final = 10.0


def _words(value: object) -> object:
    return tuple(value.split()) if isinstance(value, str) else value


Word = TypeVar("Word")
Words = Annotated[tuple[Word, ...], NoDecode, BeforeValidator(_words)]
"""Several of something, separated by spaces."""


class ServiceSettings(BaseSettings):
    """The environment of one service: variables named `FLEETLOG_…`."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore")

    database: SecretStr = Field(description="PostgreSQL DSN of this service's own role")
    database_password_file: Path | None = Field(
        default=None, description="file with that role's password, where the DSN holds none"
    )
    host: str = Field(default="127.0.0.1", description="address to listen on")
    port: int = Field(default=0, ge=0, le=65535, description="port to listen on; 0 picks a free one")
    issuer: str = Field(default="", description="identity provider's issuer, with its final slash")
    audience: str = Field(default="", description="audience that access tokens must name")
    client_id: str = Field(
        default="", description="what the identity provider calls the browser application, in logout tokens"
    )
    jwks_url: str | None = Field(default=None, description="where its keys are, if not at the usual place")
    permissions: Literal["claim", "everyone"] = Field(
        default="claim",
        description="where permissions come from; `everyone`: who is signed in may do what staff may",
    )
    permissions_claim: str = Field(
        default=PERMISSIONS_CLAIM, min_length=1, description="claim of access tokens that names permissions"
    )
    public_address: str = ""
    environment: Literal["development", "production"] = "production"
    requests_per_subject: int = Field(
        default=REQUESTS_PER_SUBJECT, ge=1, description="how many requests of one subject may run at once"
    )
    instance: str = Field(
        default="",
        max_length=200,
        description="what this process is called where operators see it; empty: by its service and its host",
    )
    disk: Path | None = Field(default=None, description="a folder on the disk that it looks after")
    ready_seconds: float = Field(
        default=0.0, ge=0, description="for how long it waits until it is ready, before it takes connections"
    )
    drain_seconds: float = Field(
        default=0.0,
        ge=0,
        description="for how long it goes on answering after SIGTERM; see ops.base.http.draining",
    )
    stall_seconds: StallSeconds = STALL_SECONDS
    log_format: Literal["auto", "json", "console"] = Field(
        default="auto", description="`auto`: readable on a terminal, JSON elsewhere"
    )

    @classmethod
    def load(cls) -> Self:
        """Read the settings from the environment.

        Raises:
            SystemExit: a variable is missing, malformed or dangerous; the text names it and quotes no value.
        """
        try:
            settings = cls()
        except ValidationError as error:
            raise SystemExit(explained(error)) from None
        if untrusted := settings.untrusted():
            raise SystemExit(
                f"{PREFIX}{untrusted}: must begin with https://;"
                f" a local identity provider is for {PREFIX}ENVIRONMENT=development only"
            )
        return settings

    def untrusted(self) -> str | None:
        """Name the setting by which somebody on the way could let people in, if there is one."""
        if not self.issuer or (self.environment == "development" and is_local(self.issuer)):
            return None
        if not self.issuer.startswith("https://"):
            return "ISSUER"
        return None if is_confidential(self.keys_url) else "JWKS_URL"

    @model_validator(mode="after")
    def _complete_the_dsn(self) -> Self:
        """Put the password into the DSN."""
        self.database = self.with_password(self.database, "DATABASE")
        return self

    def with_password(self, dsn: SecretStr, name: str) -> SecretStr:
        """Return a DSN of this service's role with the password, where a file holds that.

        Args:
            dsn: where to connect.
            name: of its setting.

        Raises:
            ValueError: the file cannot be read, or the DSN is none; the text quotes neither.
        """
        return with_password(dsn, self.database_password_file, name, "DATABASE_PASSWORD_FILE")

    @property
    def everyone_may(self) -> frozenset[Permission]:
        """What everybody may do who is signed in."""
        return OF_STAFF if self.permissions == "everyone" else frozenset()

    @property
    def over_https(self) -> bool:
        """Whether browsers come over https: the one address that they use says so, whoever ends TLS."""
        return self.public_address.lower().startswith("https:")

    @property
    def keys_url(self) -> str:
        """Address of the issuer's JSON Web Key Set."""
        return self.jwks_url or f"{self.issuer}.well-known/jwks.json"


def with_password(dsn: SecretStr, file: Path | None, name: str, file_name: str) -> SecretStr:
    """Return a DSN with the password that a file holds.

    Args:
        dsn: where to connect.
        file: with the password; None: the DSN is whole.
        name: of the DSN's setting.
        file_name: of the file's.

    Raises:
        ValueError: the file cannot be read, or the DSN is none; the text quotes neither.
    """
    if file is None:
        return dsn
    from psycopg import ProgrammingError  # noqa: PLC0415 - not all who read settings have a database
    from psycopg.conninfo import make_conninfo  # noqa: PLC0415

    password = read_secret(file, f"{PREFIX}{file_name}")
    try:
        return SecretStr(make_conninfo(dsn.get_secret_value(), password=password))
    except ProgrammingError:  # its message would quote the DSN
        raise ValueError(f"{PREFIX}{name} is not well-formed; it looks like postgresql://…") from None


def read_secret(path: Path, setting: str, remedy: str = "; ./fleetlog secrets makes what is missing") -> str:
    """Read a secret from a file, as container engines mount them.

    Args:
        path: the file; white space around the secret is dropped.
        setting: the variable that names the file.
        remedy: what the error's text ends with; for a secret that somebody else has made, nothing.

    Raises:
        ValueError: it is missing, cannot be read, or is empty; the text says what to do.
    """
    try:
        secret = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        # Engines make a folder in the place of a secret that is not there.
        reason = (
            "there is no such secret" if path.is_dir() else getattr(error, "strerror", None) or "not text"
        )
        raise ValueError(f"{setting}: cannot read {path}: {reason}{remedy}") from None
    if not secret:
        raise ValueError(f"{setting}: {path} is empty{remedy}")
    return secret


def explained(error: ValidationError, prefix: str = PREFIX) -> str:
    """Say what is wrong with the environment, one variable a line, and quote no value.

    Args:
        error: what validation found.
        prefix: of the variables' names.
    """
    lines = []
    for problem in error.errors(include_url=False, include_input=False, include_context=False):
        names = "_".join(str(part) for part in problem["loc"])
        message = problem["msg"].removeprefix("Value error, ")
        lines.append(f"{prefix}{names.upper()}: {message}" if names else message)
    return "\n".join(lines)
