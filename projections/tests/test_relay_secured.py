"""The relay and a broker that wants TLS and a password."""

import datetime as dt
import gc
import ipaddress
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition
from kafka.errors import KafkaConnectionError
from projections_testing.fleet import Fleet
from projections_testing.following import catch_up, eventually
from projections_testing.relaying import relaying_with, until_relayed
from psycopg import AsyncConnection

from ops.testing.kafka import KafkaBroker, throw_away_kafka
from ops.testing.postgres import Database
from projections.commands.relay import kafka_settings
from projections.failures import ProjectionStopped
from projections.public_events.names import events_topic
from projections.relay.clients import connected
from projections.relay.settings import KafkaSettings

pytestmark = [
    pytest.mark.integration,
    # kafka-python leaves sockets that were refused to the garbage collector.
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]

PASSWORD = "correct horse"
WRONG = "battery staple"
SLOW_MACHINE_SECONDS = 90.0
# The one listener, whatever its name, speaks TLS and wants a password; the broker talks to itself by it, too.
PROPERTIES = """
listener.security.protocol.map=PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT
sasl.enabled.mechanisms=PLAIN
inter.broker.listener.name=PLAINTEXT
sasl.mechanism.inter.broker.protocol=PLAIN
listener.name.plaintext.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule \
required username="broker" password="itself" user_broker="itself" user_relay="{password}";
ssl.keystore.type=PEM
ssl.keystore.location={server}
ssl.truststore.type=PEM
ssl.truststore.location={authority}
"""


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for 127.0.0.1 that vouches for itself; return it, and it with its key before it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a broker")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(minutes=5))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
        .public_bytes(Encoding.PEM)
    )
    authority, server = folder / "authority.pem", folder / "server.pem"
    authority.write_bytes(certificate)
    server.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) + certificate)
    return authority, server


@pytest.fixture(autouse=True)
def _collect_refused_sockets() -> Iterator[None]:
    """While that is nothing to warn of."""
    yield
    gc.collect()


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificate that a client is to trust."""
    return make_certificate(tmp_path_factory.mktemp("certificates"))[0]


@pytest.fixture(scope="module")
def secured(kafka: KafkaBroker, authority: Path) -> Iterator[KafkaBroker]:
    """A broker that wants TLS and a password; `kafka` is asked for, as it skips where there can be none."""
    properties = PROPERTIES.format(
        password=PASSWORD, authority=authority, server=authority.with_name("server.pem")
    )
    with throw_away_kafka(properties) as broker:
        yield broker


def settings(
    broker: KafkaBroker,
    authority: Path,
    *,
    password: str | None = PASSWORD,
    password_file: Path | None = None,
) -> KafkaSettings:
    return KafkaSettings(
        servers=broker.address,
        security_protocol="SASL_SSL",
        sasl_mechanism="PLAIN",
        sasl_username="relay",
        sasl_password=password,
        sasl_password_file=password_file,
        ssl_cafile=str(authority),
    )


async def test_it_publishes_over_tls_with_a_password_that_a_file_holds(
    fleet: Fleet, connection: AsyncConnection, database: Database, secured: KafkaBroker, authority: Path
) -> None:
    kept = authority.with_name("password")
    kept.write_text(f"{PASSWORD}\n")
    allowed = settings(secured, authority, password=None, password_file=kept)
    fleet.play("register", "driver", "EMP-001", {"city": "Pune"})
    await catch_up(connection)
    async with relaying_with(database, allowed):
        await until_relayed(fleet.connection, 1)

    consumer = KafkaConsumer(**allowed.client_options(), auto_offset_reset="earliest")
    topic = events_topic("driver")
    partitions = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic) or ()]
    assert sum(consumer.end_offsets(partitions).values()) > 0
    consumer.close()


async def test_a_wrong_password_is_reported_and_shown_nowhere(
    database: Database, secured: KafkaBroker, authority: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async with relaying_with(database, settings(secured, authority, password=WRONG)) as relay:
        await eventually(lambda: relay.state.error is not None, seconds=SLOW_MACHINE_SECONDS)
        error = relay.state.error

    assert error
    assert "KafkaConnectionError" in error
    assert relay.cluster is None
    reported = capfd.readouterr()
    assert WRONG not in error + reported.out + reported.err


async def test_a_broker_that_nobody_vouches_for_gets_nothing(
    database: Database, secured: KafkaBroker, tmp_path: Path
) -> None:
    another, _ = make_certificate(tmp_path)
    async with relaying_with(database, settings(secured, another)) as relay:
        await eventually(lambda: relay.state.error is not None, seconds=SLOW_MACHINE_SECONDS)
        error = relay.state.error

    assert error
    assert "CERTIFICATE_VERIFY_FAILED" in error
    assert relay.cluster is None


@pytest.mark.parametrize(
    "variable", ["FLEETLOG_KAFKA_SASL_PASSWORD_FILE", "FLEETLOG_KAFKA_SSL_PASSWORD_FILE"]
)
def test_a_password_file_that_is_not_there_is_reported_with_its_variable(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLEETLOG_KAFKA_SERVERS", "127.0.0.1:9")
    monkeypatch.setenv(variable, "/nowhere")
    with pytest.raises(ProjectionStopped, match=f"^{variable}: cannot read /nowhere: No such file"):
        kafka_settings()


def test_who_cannot_connect_leaves_nothing_open(secured: KafkaBroker, authority: Path) -> None:
    options = settings(secured, authority, password=WRONG).client_options() | {"bootstrap_timeout_ms": 500}

    def attempt() -> tuple[int, int]:
        with pytest.raises(KafkaConnectionError):
            connected(KafkaAdminClient, **options)
        gc.collect()
        return threading.active_count(), len(psutil.Process().net_connections("all"))

    assert attempt() == attempt()
