"""A strict model of `compose.yaml`: members that it does not know are refused, so that none is ignored."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

from ops.launcher.paths import PROJECT

COMPOSE_FILE: Final = PROJECT / "compose.yaml"
DEVELOPMENT_FILE: Final = PROJECT / "ops/dev.env"
"""Variables of `compose.yaml` for a first try."""
_VARIABLE: Final = re.compile(r"\$\{(?P<name>[A-Z_]+)(?:(?P<how>:?[-?])(?P<default>[^}]*))?\}")


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Build(_Model):
    context: str
    dockerfile: str
    target: str
    args: dict[str, str] = {}


class Dependency(_Model):
    condition: Literal["service_started", "service_healthy", "service_completed_successfully"]


class HealthCheck(_Model):
    test: list[str] = []
    interval: str = "30s"
    timeout: str = "30s"
    retries: int = 3
    start_period: str = "0s"
    start_interval: str = "5s"
    disable: bool = False


class Deploy(_Model):
    replicas: int = Field(default=1, ge=1)


class Logging(_Model):
    driver: str
    options: dict[str, str]


class Service(_Model):
    image: str
    build: Build | None = None
    command: list[str] = []
    environment: dict[str, str] = {}
    depends_on: dict[str, Dependency] = {}
    healthcheck: HealthCheck | None = None
    deploy: Deploy = Deploy()
    secrets: list[str] = []
    volumes: list[str] = []
    tmpfs: list[str] = []
    ports: list[str] = []
    profiles: list[str] = []
    networks: list[str] = []
    network_mode: str | None = None
    user: str | None = None
    restart: Literal["no", "unless-stopped"]
    read_only: bool
    cap_drop: list[str]
    security_opt: list[str]
    pids_limit: int
    mem_limit: str
    cpus: float
    """0: no limit."""
    cpu_shares: int = 1024
    logging: Logging
    ulimits: dict[str, int] = {}
    shm_size: str | None = None
    stop_signal: str = "SIGTERM"
    stop_grace_period: str = "10s"

    @property
    def health_command(self) -> list[str]:
        """The command line of the health check; empty: none."""
        check = self.healthcheck
        return [] if check is None or check.disable else check.test[1:]


class Network(_Model):
    internal: bool = False


class Secret(_Model):
    file: str


class Compose(_Model):
    services: dict[str, Service]
    networks: dict[str, Network]
    volumes: dict[str, dict[str, Any]]
    secrets: dict[str, Secret]

    @model_validator(mode="after")
    def _names_are_known(self) -> "Compose":
        for name, service in self.services.items():
            shared = (service.network_mode or "").removeprefix("service:")
            named = {
                "service": {*service.depends_on, *([shared] if shared else [])} - self.services.keys(),
                "secret": set(service.secrets) - self.secrets.keys(),
                "network": set(service.networks) - self.networks.keys(),
                # A path is a folder of the engine's machine.
                "volume": {
                    volume.split(":")[0] for volume in service.volumes if not volume.startswith(("/", "."))
                }
                - self.volumes.keys(),
            }
            for kind, unknown in named.items():
                if unknown:
                    raise ValueError(f"{name} names an unknown {kind}: {min(unknown)}")
        return self


def development_variables() -> dict[str, str]:
    """Return the variables of `ops/dev.env`."""
    lines = DEVELOPMENT_FILE.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def read_compose(variables: Mapping[str, str], *, path: Path = COMPOSE_FILE) -> Compose:
    """Read the file as compose does, with the values of `${NAME}`.

    Raises:
        pydantic.ValidationError: a member is invalid or unknown.
        KeyError: a required variable is missing.
    """
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    document = {name: part for name, part in document.items() if not name.startswith("x-")}
    return Compose.model_validate(_interpolated(document, variables))


def _interpolated(value: Any, variables: Mapping[str, str]) -> Any:
    match value:
        case str():
            return _VARIABLE.sub(lambda found: _value(found, variables), value)
        case dict():
            return {name: _interpolated(part, variables) for name, part in value.items()}
        case list():
            return [_interpolated(part, variables) for part in value]
        case _:
            return value


def _value(found: re.Match[str], variables: Mapping[str, str]) -> str:
    name, how, default = found["name"], found["how"], found["default"]
    if name in variables and (variables[name] or how not in (":-", ":?")):
        return variables[name]
    if how is None or how.endswith("?"):
        raise KeyError(name)
    return str(default)
