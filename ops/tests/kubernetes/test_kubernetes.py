"""ops/kubernetes is valid for the API, and agrees with compose.yaml."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import jsonschema
import pytest
import yaml

from ops.development import kubernetes
from ops.launcher.commands.secrets import make_secrets
from ops.launcher.paths import PROJECT
from ops.testing.kubernetes.objects import FOLDER, Object, kustomization_of, objects_in
from ops.testing.kubernetes.schemas import CUSTOM_RESOURCES, NEWEST, OLDEST, kind_of, require_valid
from ops.testing.kubernetes.workloads import NETWORK, Workload, workloads
from ops.testing.split.compose import Service, read_compose

RENDERED: Final = objects_in("base", "production")
DEPENDENCIES: Final = objects_in("dependencies")
WORKLOADS: Final = workloads(RENDERED)
OPERATOR_VARIABLES: Final = {"FLEETLOG_KAFKA_CLUSTER": "set by the operator"}
OPERATOR_SERVICES: Final = {
    *("postgres", "keys", "kafka", "backups", "key-backups", "restore", "restore-keys"),
}  # fmt: skip
"""Services that the operators of databases and broker replace."""
KUBERNETES_SERVICES: Final = {"edge", "operations"}
"""The edge, replaced by a Service, and the container for operators' commands."""
OPERATOR_SECRETS: Final = {
    "owner-password": ("postgres-app", "password"),
    "keys-owner-password": ("keys-app", "password"),
    "keys-ca.pem": ("keys-ca", "ca.crt"),
    "postgres-ca.pem": ("postgres-ca", "ca.crt"),
    "kafka-ca.pem": ("kafka-cluster-ca-cert", "ca.crt"),
    "kafka-password": ("fleetlog", "password"),
}
"""Secrets that the operators of databases and broker create, and not `./fleetlog secrets`."""


def variables() -> dict[str, str]:
    lines = (FOLDER / "production/settings.env").read_text().splitlines()
    return {**dict(line.split("=", 1) for line in lines if not line.startswith("#")), **OPERATOR_VARIABLES}


COMPOSE: Final = read_compose(variables())
PAIRS: Final = {
    name: (service, WORKLOADS[name]) for name, service in COMPOSE.services.items() if name in WORKLOADS
}
each_pair = pytest.mark.parametrize(("service", "workload"), PAIRS.values(), ids=list(PAIRS))


def found(kind: str, name: str | None = None) -> list[Object]:
    return [item for item in RENDERED if matches(item, kind, name)]


def matches(item: Object, kind: str, name: str | None) -> bool:
    own = item["metadata"]["name"]
    return (kind, name or own) == (item["kind"], own)


def test_workloads_are_those_of_compose() -> None:
    for name, text in kubernetes.files().items():
        assert (kubernetes.BASE / name).read_text() == text, "run: python -m ops.development.kubernetes"


def test_all_services_are_deployed() -> None:
    services = COMPOSE.services.keys() - OPERATOR_SERVICES - KUBERNETES_SERVICES
    assert WORKLOADS.keys() == services - {"identity-provider"}
    assert {item["metadata"]["name"] for item in DEPENDENCIES} >= {"postgres", "keys", "kafka"}


def test_gateway_resolves_each_server_by_a_full_name() -> None:
    gateway = WORKLOADS["gateway"]
    for setting in ("FLEETLOG_COMMAND_API", "FLEETLOG_QUERY_API"):
        host, _, port = gateway.environment[setting].partition(":")
        name, namespace, *cluster = host.split(".")
        assert cluster == ["svc", "cluster", "local"]
        (service,) = found("Service", name)
        assert service["metadata"]["namespace"] == namespace
        assert (
            service["spec"]["clusterIP"] == "None"
        )  # headless, so that the gateway can retry another server
        assert service["spec"]["ports"][0]["port"] == int(port)
        assert workloads_of(service["spec"]["selector"]) == [name]


def test_selectors_match_pods() -> None:
    for kind in ("Service", "PodDisruptionBudget", "NetworkPolicy"):
        for item in found(kind):
            select = item["spec"].get("selector") or item["spec"]["podSelector"]
            known = workloads_of(select.get("matchLabels", select))
            assert known or item["metadata"]["name"] in {"postgres", "keys"}, item["metadata"]["name"]
            for port in item["spec"].get("ports", ()):
                for name in known:
                    ports = {each["name"] for each in WORKLOADS[name].container["ports"]}
                    assert port["targetPort"] in ports
    for owner in found("Deployment"):
        labels = owner["spec"]["template"]["metadata"]["labels"].items()
        assert labels >= owner["spec"]["selector"]["matchLabels"].items()


def workloads_of(labels: dict[str, str]) -> list[str]:
    return [
        name
        for name, workload in WORKLOADS.items()
        if workload.template["metadata"]["labels"].items() >= labels.items()
    ]


@each_pair
def test_named_secrets_are_mounted_and_databases_verified(service: Service, workload: Workload) -> None:
    files = {path.removeprefix("/run/secrets/"): where for path, where in workload.secrets.items()}
    assert set(service.secrets) <= files.keys() <= {*service.secrets, *OPERATOR_SECRETS}
    for name, where in files.items():
        assert where == OPERATOR_SECRETS.get(name, ("fleetlog-secrets", name))
    for name, value in workload.environment.items():
        if value.startswith("/run/secrets/"):
            assert value in workload.secrets, name
        if value.startswith("postgresql://"):
            mode, authority = urlsplit(value).query.split("&sslrootcert=")
            assert (mode, authority in workload.secrets) == ("sslmode=verify-full", True)


def test_mail_servers_password_is_in_a_secret() -> None:
    named = {one["name"]: one for one in WORKLOADS["notify"].container["env"]}
    reference = {"name": "mail", "key": "smtp", "optional": True}
    assert named["FLEETLOG_SMTP"]["valueFrom"] == {"secretKeyRef": reference}
    assert not any("FLEETLOG_SMTP" in one["data"] for one in found("ConfigMap"))


def test_mounted_secrets_are_those_that_are_created(tmp_path: Path) -> None:
    made = set(make_secrets(tmp_path / "secrets"))
    given = [where for workload in WORKLOADS.values() for where in workload.secrets.values()]
    made -= {"owner-password", "keys-owner-password"}
    made -= {f"key-encryption-keys/{name}.key" for name in ("epoch-1", "validators")}
    assert {key for name, key in given if name == "fleetlog-secrets"} == made


@each_pair
def test_privileges_are_equal(service: Service, workload: Workload) -> None:
    security, container = workload.pod["securityContext"], workload.container["securityContext"]
    assert service.cap_drop == container["capabilities"]["drop"]
    assert service.read_only == container["readOnlyRootFilesystem"]
    assert service.security_opt == ["no-new-privileges:true"]
    assert not container["allowPrivilegeEscalation"]
    users = re.findall(r"^USER (\d+):(\d+)$", (PROJECT / "ops/Dockerfile").read_text(), re.MULTILINE)
    assert {(str(security["runAsUser"]), str(security["runAsGroup"]))} == set(users)
    assert security["runAsNonRoot"]
    assert security["seccompProfile"] == {"type": "RuntimeDefault"}
    assert workload.pod["automountServiceAccountToken"] is False


def test_network_policies_isolate_databases_and_broker() -> None:
    policies = {item["metadata"]["name"]: item["spec"] for item in found("NetworkPolicy")}
    assert policies["deny-other-traffic"]["policyTypes"] == ["Ingress", "Egress"]
    assert "ingress" not in policies["deny-other-traffic"]
    assert set(workloads_of(policies["deny-other-traffic"]["podSelector"]["matchLabels"])) == (
        WORKLOADS.keys()
    )
    for name, network in COMPOSE.networks.items():
        if name == "sign-in":
            continue  # a pod in Kubernetes
        assert policies[name]["podSelector"] == {"matchLabels": {f"{NETWORK}{name}": "member"}}
        assert ("ipBlock" in json.dumps(policies[name])) == (not network.internal)
    assert {
        name for name, spec in policies.items() if any("from" not in rule for rule in spec.get("ingress", ()))
    } == {"published"}
    member = {"podSelector": {"matchLabels": {f"{NETWORK}data": "member"}}}
    postgres, kafka = dependency("NetworkPolicy", "postgres"), dependency("Kafka")
    assert postgres["spec"]["ingress"][0]["from"] == [member]
    of_keys = dependency("NetworkPolicy", "keys")["spec"]["ingress"]
    assert of_keys[0]["from"] == [{"podSelector": {"matchLabels": {f"{NETWORK}key-access": "member"}}}]
    assert f"{NETWORK}data" not in json.dumps(of_keys)
    (listener,) = kafka["spec"]["kafka"]["listeners"]
    assert (listener["type"], listener["networkPolicyPeers"]) == ("internal", [member])


def test_ingress_has_the_public_address() -> None:
    (ingress,) = found("Ingress")
    host = urlsplit(variables()["FLEETLOG_PUBLIC_ADDRESS"]).hostname
    assert {rule["host"] for rule in ingress["spec"]["rules"]} == {host}
    assert ingress["spec"]["tls"][0]["hosts"] == [host]
    (path,) = ingress["spec"]["rules"][0]["http"]["paths"]
    (service,) = found("Service", path["backend"]["service"]["name"])
    assert path["backend"]["service"]["port"]["name"] in {port["name"] for port in service["spec"]["ports"]}


def test_gateway_image_has_the_stop_signal_of_compose() -> None:
    """Kubernetes sends the stop signal of the image."""
    stages = re.split(r"^FROM ", (PROJECT / "ops/Dockerfile").read_text(), flags=re.MULTILINE)
    (gateway,) = (stage for stage in stages if re.match(r"\S+ AS gateway\n", stage))
    expected = COMPOSE.services["gateway"].stop_signal
    assert f"\nSTOPSIGNAL {expected}\n" in gateway


def dependency(kind: str, name: str | None = None) -> Object:
    (item,) = (item for item in DEPENDENCIES if matches(item, kind, name))
    return item


@pytest.mark.parametrize("name", ["postgres", "keys"])
def test_database_settings_equal_those_of_compose(name: str) -> None:
    service = COMPOSE.services[name]
    parameters = dict(word.split("=") for word in service.command if "=" in word)
    spec = dependency("Cluster", name)["spec"]
    assert spec["postgresql"]["parameters"] == parameters
    assert str(spec["imageCatalogRef"]["major"]) == re.findall(r":(\d+)\.", service.image)[0]
    initdb = spec["bootstrap"]["initdb"]
    arguments = dict(
        word.removeprefix("--").split("=") for word in service.environment["POSTGRES_INITDB_ARGS"].split()
    )
    assert initdb["localeProvider"] == arguments["locale-provider"]
    assert initdb["builtinLocale"] == arguments["builtin-locale"]
    assert arguments["auth"] == "scram-sha-256"  # the operator's default
    assert (initdb["owner"], initdb["database"]) == (
        service.environment["POSTGRES_USER"],
        service.environment["POSTGRES_DB"],
    )
    memory = service.mem_limit.replace("g", "Gi").replace("m", "Mi")
    assert spec["resources"]["limits"]["memory"] == memory
    assert spec["ephemeralVolumesSizeLimit"]["shm"] == (service.shm_size or "").removesuffix("m") + "Mi"
    assert float(spec["resources"]["limits"].get("cpu", 0)) == service.cpus  # 0: no limit
    assert spec["stopDelay"] == int(service.stop_grace_period.removesuffix("s"))
    # The sealer stops if the database has lost a commit, so commits must be durable.
    assert spec["postgresql"]["synchronous"]["dataDurability"] == "required"


def test_broker_settings_equal_those_of_compose() -> None:
    service = COMPOSE.services["kafka"]
    kafka, pool = dependency("Kafka")["spec"]["kafka"], dependency("KafkaNodePool")["spec"]
    assert kafka["version"] == re.findall(r":([\d.]+)", service.image)[0]
    assert kafka["config"]["auto.create.topics.enable"] is False
    assert service.environment["KAFKA_AUTO_CREATE_TOPICS_ENABLE"] == "false"
    assert set(pool["roles"]) == set(service.environment["KAFKA_PROCESS_ROLES"].split(","))
    heap = [f"{name}{size}" for name, size in pool["jvmOptions"].items()]
    assert heap == service.environment["KAFKA_HEAP_OPTS"].split()
    assert pool["resources"]["limits"]["memory"] == service.mem_limit.removesuffix("g") + "Gi"
    relay = WORKLOADS["relay"].environment
    (listener,) = kafka["listeners"]
    assert relay["FLEETLOG_KAFKA_SERVERS"] == f"kafka-kafka-bootstrap:{listener['port']}"
    assert (relay["FLEETLOG_KAFKA_SECURITY_PROTOCOL"], listener["tls"]) == ("SASL_SSL", True)
    assert relay["FLEETLOG_KAFKA_SASL_MECHANISM"].lower() == listener["authentication"]["type"]
    user = dependency("KafkaUser")
    assert relay["FLEETLOG_KAFKA_SASL_USERNAME"] == user["metadata"]["name"]
    # Members of the network `data` may connect to this port.
    (data,) = found("NetworkPolicy", "data")
    assert {rule["ports"][0]["port"] for rule in data["spec"]["egress"]} == {8000, 5432, listener["port"]}


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_objects_are_valid_for_the_api(version: str) -> None:
    for item in RENDERED:
        if not is_custom(item):
            require_valid(item, version)


def is_custom(item: Object) -> bool:
    return bool(re.search(r"(cnpg|strimzi)\.io/", item["apiVersion"]))


def test_custom_resources_are_valid_for_their_operators() -> None:
    schemas = json.loads(CUSTOM_RESOURCES.read_text())
    items = [item for item in DEPENDENCIES if is_custom(item)]
    assert {kind_of(item) for item in items} == schemas.keys()
    for item in items:
        jsonschema.validate(item, schemas[kind_of(item)])


def test_replaced_images_are_those_of_the_workloads() -> None:
    """kustomize ignores a replacement of an image that no container has."""
    replaced = {image["name"] for image in kustomization_of("production")["images"]}
    pods = [workload.pod for workload in WORKLOADS.values()]
    containers = [each for pod in pods for each in (*pod["containers"], *pod.get("initContainers", ()))]
    assert {each["image"].rpartition(":")[0] for each in containers} == replaced


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
@pytest.mark.parametrize(("folder", "known"), [("production", RENDERED), ("dependencies", DEPENDENCIES)])
def test_kubectl_renders_the_same_objects(folder: str, known: list[Object]) -> None:
    done = subprocess.run(["kubectl", "kustomize", str(FOLDER / folder)], capture_output=True, check=True)
    theirs = re.sub(rb"\b(settings|kafka)-[a-z0-9]{10}\b", rb"\1", done.stdout)
    theirs = re.sub(rb"image: registry.example/(\S+):\S+", rb"image: \1:0.1.0", theirs)
    assert by_name(list(yaml.safe_load_all(theirs))) == by_name(known)


def by_name(objects: list[Object]) -> dict[tuple[str, str], Any]:
    return {(item["kind"], item["metadata"]["name"]): item for item in objects}
