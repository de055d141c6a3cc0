"""A stand-in for a container engine, which runs the services of `compose.yaml` as processes."""

import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from ops.launcher.postgres.server import answers, ensure_database
from ops.testing.conditions import wait_for
from ops.testing.kafka import KafkaBroker
from ops.testing.split.addresses import Addresses
from ops.testing.split.compose import Compose, Service
from ops.testing.split.container import Container
from ops.testing.split.images import (
    OF_DEBIAN,
    KafkaContainer,
    PostgresContainer,
    own_command,
    own_container,
)

_SECRETS: Final = "/run/secrets"


def mounts(compose: Compose, service: Service, container: str, folder: Path) -> dict[str, Path]:
    """Create a container's volumes and temporary folders, and return all paths by mount point.

    Args:
        compose: the file.
        service: of the container.
        container: name of the container.
        folder: parent of all volumes, which are shared by name.
    """
    found = {f"{_SECRETS}/{name}": Path(compose.secrets[name].file) for name in service.secrets}
    places = {}
    for volume in service.volumes:
        name, _, place = volume.partition(":")
        places[place.removesuffix(":ro")] = folder / "volumes" / name
    for temporary in service.tmpfs:
        place = temporary.partition(":")[0]
        places[place] = folder / "tmpfs" / container / place.strip("/")
    for path in places.values():
        path.mkdir(parents=True, exist_ok=True)
    return found | places


def relocated(value: str, mounts: Mapping[str, Path]) -> str:
    """Return a variable's value with a path of this machine in place of a path in the container."""
    for place, folder in mounts.items():
        if value == place or value.startswith(f"{place}/"):
            return str(folder) + value.removeprefix(place)
    return value


_HEALTHY_SECONDS: Final = 120.0
_wait: Final = partial(wait_for, seconds=_HEALTHY_SECONDS, pause=0.02)
_STOP_SECONDS: Final = 60.0
_FOUNDATIONS: Final = ("postgres", "keys", "kafka")
_DATABASES: Final = ("postgres", "keys")
_PROFILE: Final = "dev"


class Engine:
    """Starts containers in the order of their dependencies, and keeps them running.

    Attributes:
        containers: by name, in the file's order.
    """

    def __init__(
        self, compose: Compose, addresses: Addresses, broker: KafkaBroker, folder: Path, frontend: Path
    ) -> None:
        """Describe the containers; `up` starts them.

        Args:
            compose: the file.
            addresses: of the containers.
            broker: stands in for the image of Kafka.
            folder: parent of all files; PostgreSQL's user must be able to enter it.
            frontend: the built frontend.
        """
        self.compose = compose
        self.addresses = addresses
        self.containers: dict[str, Container] = {}
        self._broker = broker
        self._folder = folder
        self._frontend = frontend
        self._keeper: threading.Thread | None = None
        self._ending = threading.Event()
        (folder / "logs").mkdir()
        self._started = [name for name, one in compose.services.items() if one.profiles in ([], [_PROFILE])]
        for name in self._started:
            service = compose.services[name]
            for number in range(1, service.deploy.replicas + 1):
                container = self._container(name, number, service)
                self.containers[container.name] = container

    def up(self) -> None:
        """Start all containers, and return when they are healthy.

        Raises:
            RuntimeError: a container is not healthy; the text is the end of its output.
        """
        self._ending.clear()
        self._keeper = threading.Thread(target=self._keep, daemon=True, name="engine")
        self._keeper.start()
        for name in self._started:
            self._bring_up(name)
        for name in self.containers:
            self.wait_until_healthy(name)

    def down(self) -> None:
        """Stop all containers cleanly, services before databases and broker.

        Raises:
            TimeoutError: a container had to be killed.
        """
        late = []
        for container in self.containers.values():
            container.is_wanted = False
        foundations = [self.first(name) for name in _FOUNDATIONS]
        services = [container for container in self.containers.values() if container not in foundations]
        for group in (services, foundations):
            for container in group:
                container.ask_to_end()
            for container in group:
                try:
                    container.wait_until_ended(_STOP_SECONDS)
                except TimeoutError as error:
                    late.append(str(error))
        self._ending.set()
        if self._keeper is not None:
            self._keeper.join()
        if late:
            raise TimeoutError("; ".join(late))

    def first(self, name: str) -> Container:
        """Return a container by its name, or the first one of a service."""
        return self.containers.get(name) or self.containers[f"{name}-1"]

    @property
    def postgres(self) -> PostgresContainer:
        container = self.first("postgres")
        assert isinstance(container, PostgresContainer)
        return container

    def inside(self, service: str, words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
        """Return command line and environment for `docker compose exec` and `run` of a service."""
        described = self.compose.services[service]
        container = self.containers.get(f"{service}-1") or self._container(service, 1, described)
        return self._inside(container, words), container.environment

    def _inside(self, container: Container, words: Sequence[str]) -> list[str]:
        service, _, number = container.name.rpartition("-")
        places = mounts(self.compose, self.compose.services[service], container.name, self._folder)
        resolved = [relocated(self.addresses.resolved(word, service, int(number)), places) for word in words]
        if resolved[0] in OF_DEBIAN:
            return [OF_DEBIAN[resolved[0]], *resolved[1:]]
        if isinstance(container, PostgresContainer):
            return [container.program(resolved[0]), *resolved[1:]]
        return own_command(resolved)

    def restart(self, names: Sequence[str]) -> float:
        """Restart containers cleanly, and return the seconds until all are healthy again.

        Raises:
            TimeoutError: a container had to be killed.
            RuntimeError: a container is not healthy.
        """
        began = time.monotonic()
        containers = [self.first(name) for name in names]
        for container in containers:
            container.is_wanted = False
            container.ask_to_end()
        for container in containers:
            container.wait_until_ended(_STOP_SECONDS)
            container.is_wanted = True
        for container in containers:
            self.wait_until_healthy(container.name)
        return time.monotonic() - began

    def wait_until_back(self, name: str, former_pid: int) -> None:
        """Wait until a container runs in another process and is healthy.

        Raises:
            TimeoutError: it does not run in time.
            RuntimeError: it is not healthy in time.
        """
        container = self.first(name)
        _wait(
            lambda: container.is_running and container.process and container.process.pid != former_pid,
            failure=lambda: f"{container.name} is not back",
        )
        self.wait_until_healthy(container.name)

    def wait_until_healthy(self, name: str) -> None:
        """Wait until a container runs and its health check succeeds.

        Raises:
            RuntimeError: it failed; the text is the end of its output.
            TimeoutError: it is not healthy in time.
        """
        container = self.first(name)
        restart = self.compose.services[container.name.rpartition("-")[0]].restart

        def is_healthy() -> bool:
            if restart == "no" and container.status not in (None, 0):
                raise RuntimeError(f"{name} failed: {container.output[-2000:]}")
            return self._is_healthy(container)

        _wait(is_healthy, failure=lambda: f"{name} is not healthy: {container.output[-2000:]}")

    def _container(self, name: str, number: int, service: Service) -> Container:
        full, log = f"{name}-{number}", self._folder / "logs" / f"{name}-{number}.log"
        places = mounts(self.compose, service, full, self._folder)
        resolved = self.addresses.environment(name, number)
        environment = {key: relocated(value, places) for key, value in resolved.items()}
        environment["FLEETLOG_INSTANCE"] = full  # in a container, the host name
        if name == "kafka":
            return KafkaContainer(full, self._broker)
        if name in _DATABASES:
            here = service.model_copy(update={"environment": environment})
            return PostgresContainer(full, here, self.addresses, self._folder / "volumes" / name, log)
        return own_container(full, service, environment, log, self._frontend)

    def _bring_up(self, name: str) -> None:
        for needed, dependency in self.compose.services[name].depends_on.items():
            for container in self._of_service(needed):
                if not container.is_wanted:
                    self._bring_up(needed)
                if dependency.condition == "service_healthy":
                    self.wait_until_healthy(container.name)
                elif dependency.condition == "service_completed_successfully":
                    _wait(lambda container=container: container.status is not None)  # type: ignore[misc]
                    if container.status != 0:
                        raise RuntimeError(f"{container.name} failed: {container.output[-2000:]}")
        for container in self._of_service(name):
            container.is_wanted = True

    def _of_service(self, service: str) -> list[Container]:
        numbers = range(1, self.compose.services[service].deploy.replicas + 1)
        return [self.containers[f"{service}-{number}"] for number in numbers]

    def _is_healthy(self, container: Container) -> bool:
        if isinstance(container, KafkaContainer):
            return container.serves
        command = self.compose.services[container.name.rpartition("-")[0]].health_command
        if not command:
            return container.is_running or container.status == 0
        if not container.is_running:
            return False
        command = self._inside(container, command)
        done = subprocess.run(command, env=container.environment, capture_output=True, check=False)
        if done.returncode == 0 and isinstance(container, PostgresContainer):
            # as the image does before the server is ready
            ensure_database(container.maintenance_dsn, container.database)
            return answers(container.owner_dsn)
        return done.returncode == 0

    def _keep(self) -> None:
        # One thread starts all containers, since they end with the thread that started them.
        while not self._ending.wait(0.02):
            for container in self.containers.values():
                container.keep()
