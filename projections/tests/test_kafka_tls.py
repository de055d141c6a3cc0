"""Kafka with TLS and passwords, as in ops/compose/kafka-tls.yaml."""

import asyncio
import gc
import shutil
import ssl
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psutil
import pytest
from kafka import KafkaAdminClient
from kafka.errors import KafkaConnectionError
from projections_testing.fleet import Fleet
from projections_testing.leases import catch_up, eventually
from projections_testing.relays import run_relay, until_relayed
from projections_testing.sealed_data import KEY, note_of
from psycopg import AsyncConnection

from ops.testing.kafka import KafkaBroker
from ops.testing.kafka_tls import SecuredKafka, make_certificate, secured_kafka
from ops.testing.postgres import Database
from projections.failures import ProjectionStopped
from projections.relay.clients import connect_client
from projections.relay.settings import PREFIX, KafkaSettings
from projections.workers.sealing.kafka_witness import KafkaWitness
from projections.workers.sealing.witnesses import WitnessAway

pytestmark = [
    pytest.mark.timeout(600),  # four programs in Java make its users
    # kafka-python leaves sockets that were refused to the garbage collector.
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]

WRONG = "battery staple"
SLOW_MACHINE_SECONDS = 90.0


@pytest.fixture(autouse=True)
async def _collect_refused_sockets(caplog: pytest.LogCaptureFixture) -> AsyncIterator[None]:
    """Collect refused sockets before their warnings can fail the next test."""
    yield
    caplog.get_records("call").clear()  # they hold the errors, which hold the sockets

    def none_is_open() -> bool:
        gc.collect()
        return not any(type(one) is ssl.SSLSocket and one.fileno() != -1 for one in gc.get_objects())

    await eventually(none_is_open, seconds=SLOW_MACHINE_SECONDS)


@pytest.fixture(scope="module")
def secured(kafka: KafkaBroker) -> Iterator[SecuredKafka]:
    """A broker with TLS and passwords; the fixture `kafka` skips the test if Kafka is unavailable."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl")
    with secured_kafka() as broker:
        yield broker


def settings(secured: SecuredKafka, **changes: str) -> KafkaSettings:
    """Return the relay's settings in compose, with changes."""
    options = {
        name.removeprefix(PREFIX).lower(): value for name, value in secured.environment("relay").items()
    }
    return KafkaSettings.model_validate(options | changes)


def wrong_password(secured: SecuredKafka) -> KafkaSettings:
    wrong = secured.secrets / "wrong"
    wrong.write_text(f"{WRONG}\n")
    return settings(secured, sasl_password_file=str(wrong))


def wrong_authority(secured: SecuredKafka, folder: Path) -> KafkaSettings:
    make_certificate(folder, "another", "kafka")
    return settings(secured, ssl_cafile=str(folder / "another-ca.pem"))


async def test_relay_publishes_over_tls(
    fleet: Fleet, connection: AsyncConnection, database: Database, secured: SecuredKafka
) -> None:
    fleet.register("driver", "EMP-001")
    await catch_up(connection)
    async with run_relay(database, secured.broker.address, settings(secured)):
        await until_relayed(fleet.connection, 1)


def test_kafka_witness_works_over_tls(secured: SecuredKafka) -> None:
    witness = KafkaWitness(settings(secured))
    note = note_of(3)
    witness.publish([note], KEY.verifying_key)
    assert witness.last(KEY.verifying_key) == note


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("password", "FLEETLOG_KAFKA_SASL_USERNAME and its password"),
        ("authority", "CERTIFICATE_VERIFY_FAILED"),
    ],
)
async def test_refused_connection_is_reported_in_one_line_without_the_password(
    database: Database,
    secured: SecuredKafka,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    *,
    fault: str,
    message: str,
) -> None:
    wrong = wrong_password(secured) if fault == "password" else wrong_authority(secured, tmp_path)
    async with run_relay(database, secured.broker.address, wrong) as relay:
        await eventually(lambda: relay.state.error is not None, seconds=SLOW_MACHINE_SECONDS)
        error = relay.state.error
    with pytest.raises(WitnessAway) as away:
        await asyncio.to_thread(KafkaWitness(wrong).last, KEY.verifying_key)

    for reported in (error or "", str(away.value)):
        assert message in reported
        assert "\n" not in reported
    assert relay.cluster is None
    output = capfd.readouterr()
    assert WRONG not in f"{error}{away.value}{output.out}{output.err}"


@pytest.mark.parametrize(
    "variable", ["FLEETLOG_KAFKA_SASL_PASSWORD_FILE", "FLEETLOG_KAFKA_SSL_PASSWORD_FILE"]
)
def test_missing_password_file_is_reported_with_its_variable(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLEETLOG_KAFKA_SERVERS", "127.0.0.1:9")
    monkeypatch.setenv(variable, "/nowhere")
    with pytest.raises(ProjectionStopped, match=f"^{variable}: cannot read /nowhere: No such file"):
        KafkaSettings.load(ProjectionStopped)


def test_a_failed_connection_leaves_nothing_open(secured: SecuredKafka) -> None:
    options = wrong_password(secured).client_options() | {"bootstrap_timeout_ms": 500}

    def attempt() -> tuple[int, int]:
        with pytest.raises(KafkaConnectionError):
            connect_client(KafkaAdminClient, **options)
        gc.collect()
        return threading.active_count(), len(psutil.Process().net_connections("all"))

    assert attempt() == attempt()
