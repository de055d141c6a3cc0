"""Settings that every service reads from its environment."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final, Literal, Self, TypeVar

from pydantic import BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from ops.base.addresses import is_confidential, is_local
from ops.base.permissions import OF_STAFF, PERMISSIONS_CLAIM, ROLES_CLAIM, Permission, parse_roles

PREFIX = "FLEETLOG_"
REQUESTS_PER_SUBJECT: Final = 256


StallSeconds = Annotated[
    float,
    Field(
        ge=0, description="seconds without a turn of the event loop after which the process ends; 0: never"
    ),
]
STALL_SECONDS: Final = 10.0
SignInProtocol = Annotated[
    Literal["auth0", "oidc"],
    Field(description="`auth0`: endpoints at Auth0's paths; `oidc`: by OpenID Connect Discovery"),
]


def _words(value: object) -> object:
    return tuple(value.split()) if isinstance(value, str) else value


Word = TypeVar("Word")
Words = Annotated[tuple[Word, ...], NoDecode, BeforeValidator(_words)]
"""Values separated by spaces."""


class Settings(BaseSettings):
    """Environment variables named `FLEETLOG_…`."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore")

    @classmethod
    def load(cls, failure: Callable[[str], BaseException] = SystemExit) -> Self:
        """Read the environment.

        Args:
            failure: the error for a missing, malformed or dangerous variable; its text quotes no value.
        """
        try:
            return cls()
        except ValidationError as error:
            raise failure(explained(error, cls.model_config["env_prefix"])) from None


class ServiceSettings(Settings):
    """The environment of one service."""

    database: SecretStr = Field(description="PostgreSQL DSN of this service's own role")
    database_password_file: Path | None = Field(
        default=None, description="file with that role's password, where the DSN holds none"
    )
    host: str = Field(default="127.0.0.1", description="address to listen on")
    port: int = Field(default=0, ge=0, le=65535, description="port to listen on; 0 picks a free one")
    sign_in: SignInProtocol = "auth0"
    issuer: str = Field(default="", description="identity provider's issuer, exactly as in its metadata")
    audience: str = Field(default="", description="audience that access tokens must name")
    client_id: str = Field(
        default="", description="client id of the browser application, the audience of logout tokens"
    )
    token_issuer: str = Field(
        default="", description="issuer that access tokens name, if it is another (version 1 of Entra ID's)"
    )
    jwks_url: str | None = Field(
        default=None,
        description="address of the issuer's keys (default: Auth0's path, or by discovery)",
    )
    permissions: Literal["claim", "everyone"] = Field(
        default="claim",
        description="source of permissions; `everyone`: each signed-in user has the permissions of staff",
    )
    permissions_claim: str = Field(
        default=PERMISSIONS_CLAIM,
        min_length=1,
        description="claims of access tokens that name permissions, separated by spaces",
    )
    roles: Annotated[
        dict[str, frozenset[Permission]],
        NoDecode,
        BeforeValidator(lambda value: parse_roles(value) if isinstance(value, str) else value),
        Field(description="roles or permissions by values of a claim, such as `fleet-admins=staff,…`"),
    ] = {}
    roles_claim: str = Field(
        default=ROLES_CLAIM, min_length=1, description="claim of access tokens with these values"
    )
    public_address: str = ""
    environment: Literal["development", "production"] = "production"
    requests_per_subject: int = Field(
        default=REQUESTS_PER_SUBJECT, ge=1, description="maximum concurrent requests of one subject"
    )
    duplicates_allowed: Words[str] = Field(
        default=(),
        description="unique fields that records may share, such as `driver.passport_number`, or `all`",
    )
    unavailable_vehicles: Literal["refuse", "warn"] = Field(
        default="refuse",
        description="whether vehicles that are out of service or in maintenance can be assigned if confirmed",
    )
    instance: str = Field(
        default="",
        max_length=200,
        description="name of this process for operators; empty: service and host",
    )
    disk: Path | None = Field(default=None, description="a folder on the disk whose free space is reported")
    ready_seconds: float = Field(
        default=0.0, ge=0, description="maximum seconds to wait for readiness before accepting connections"
    )
    drain_seconds: float = Field(
        default=0.0,
        ge=0,
        description="seconds of graceful shutdown after SIGTERM; see ops.base.http.draining",
    )
    stall_seconds: StallSeconds = STALL_SECONDS
    log_format: Literal["auto", "json", "console"] = Field(
        default="auto", description="`auto`: readable on a terminal, JSON elsewhere"
    )

    @classmethod
    def load(cls, failure: Callable[[str], BaseException] = SystemExit) -> Self:
        """Also refuse an insecure address of the identity provider."""
        settings = super().load(failure)
        if untrusted := settings.untrusted():
            raise failure(
                f"{PREFIX}{untrusted}: must begin with https://;"
                f" a local identity provider is for {PREFIX}ENVIRONMENT=development only"
            )
        return settings

    def untrusted(self) -> str | None:
        """Return the setting with an insecure address of the identity provider, or None."""
        if not self.issuer or (self.environment == "development" and is_local(self.issuer)):
            return None
        if not self.issuer.startswith("https://"):
            return "ISSUER"
        return None if is_confidential(self.keys_url or self.issuer) else "JWKS_URL"

    @model_validator(mode="after")
    def _complete_the_dsn(self) -> Self:
        """Put the password into the DSN."""
        self.database = self.with_password(self.database, "DATABASE")
        return self

    def with_password(self, dsn: SecretStr, name: str) -> SecretStr:
        """Add the password of this service's role to a DSN; see `with_password`."""
        return with_password(dsn, self.database_password_file, name, "DATABASE_PASSWORD_FILE")

    @property
    def everyone_may(self) -> frozenset[Permission]:
        """The permissions of every signed-in user."""
        return OF_STAFF if self.permissions == "everyone" else frozenset()

    @property
    def over_https(self) -> bool:
        """Whether browsers use https, by the public address; TLS may end at another server."""
        return self.public_address.lower().startswith("https:")

    @property
    def keys_url(self) -> str | None:
        """Address of the issuer's JSON Web Key Set; None: its metadata names it."""
        at_auth0 = None if self.sign_in == "oidc" else f"{self.issuer}.well-known/jwks.json"
        return self.jwks_url or at_auth0


def with_password(dsn: SecretStr, file: Path | None, name: str, file_name: str) -> SecretStr:
    """Add the password in a file to a DSN.

    Args:
        file: the file; None: the DSN is complete.

    Raises:
        ValueError: the file cannot be read, or the DSN is malformed; the text quotes neither.
    """
    if file is None:
        return dsn
    from psycopg import ProgrammingError  # noqa: PLC0415 - not every process has a database
    from psycopg.conninfo import make_conninfo  # noqa: PLC0415

    password = read_secret(file, f"{PREFIX}{file_name}")
    try:
        return SecretStr(make_conninfo(dsn.get_secret_value(), password=password))
    except ProgrammingError:  # its message would quote the DSN
        raise ValueError(f"{PREFIX}{name} is not well-formed; a DSN looks like postgresql://…") from None


def read_secret(
    path: Path, setting: str, remedy: str = "; ./fleetlog secrets creates missing secrets"
) -> str:
    """Read a secret from a file, as container engines mount them.

    Args:
        path: the file; white space around the secret is removed.
        setting: the variable that names the file.
        remedy: the end of the error's text; empty for secrets that `./fleetlog secrets` does not create.

    Raises:
        ValueError: the file is missing, unreadable, or empty; the text says what to do.
    """
    try:
        secret = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        # Container engines create a folder in place of a missing secret.
        reason = (
            "the secret does not exist" if path.is_dir() else getattr(error, "strerror", None) or "not text"
        )
        raise ValueError(f"{setting}: cannot read {path}: {reason}{remedy}") from None
    if not secret:
        raise ValueError(f"{setting}: {path} is empty{remedy}")
    return secret


def explained(error: ValidationError, prefix: str = PREFIX) -> str:
    """Return the errors of the environment, one variable per line, without values."""
    lines = []
    for problem in error.errors(include_url=False, include_input=False, include_context=False):
        names = "_".join(str(part) for part in problem["loc"])
        message = problem["msg"].removeprefix("Value error, ")
        lines.append(f"{prefix}{names.upper()}: {message}" if names else message)
    return "\n".join(lines)
