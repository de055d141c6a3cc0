"""Each alert, raised by breaking the product."""

import json
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import psutil
import psycopg
import pytest

from ops.base.checks.registry import CHECKS
from ops.launcher.backups.acceptance import newest_seal
from ops.launcher.gateway.process import knows_javascript
from ops.launcher.paths import PROJECT
from ops.testing.conditions import wait_for
from ops.testing.half_sent import HalfSentHeaders
from ops.testing.product.bodies import usual_body
from ops.testing.product.client import Client, sign_in
from ops.testing.product.exchanges import PATHS
from ops.testing.product.read_tables import PROJECTIONS
from ops.testing.prometheus.server import Alerts, PrometheusServer
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration

ALERTS: Final = PROJECT / "ops/alerts"
SECONDS: Final = 90.0
"""Limit of a wait that usually takes a few seconds."""
RELAY_STARTED: Final = 'process_start_time_seconds{job="fleetlog-relay"}'


@pytest.fixture(scope="module")
def database(product: Stack) -> Iterator[psycopg.Connection]:
    """A connection of the database's owner."""
    with psycopg.connect(product.owner_dsn, autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def client(product: Stack) -> Iterator[Client]:
    with Client(product) as client:
        yield client


@contextmanager
def frozen_worker(product: Stack) -> Iterator[None]:
    product.kill("projections", signal.SIGSTOP)
    try:
        yield
    finally:
        product.kill("projections", signal.SIGCONT)


def register(product: Stack, client: Client, entity: str) -> int:
    """Register a record, and return the event's position."""
    answer = client.request(
        "POST", PATHS[entity], actor=sign_in(product, "staff"), json=usual_body(entity).sent
    )
    return int(answer.raise_for_status().headers["fleetlog-position"].rpartition(":")[2])


def backdate(database: psycopg.Connection, position: int, hours: int) -> None:
    database.execute(
        "UPDATE log.events SET moment = moment - make_interval(hours => %s) WHERE notification_id = %s",
        (hours, position),
    )


def sealed(product: Stack, position: int) -> Path:
    """Wait for the checkpoint of a position, and return the file of checkpoints."""
    seals = product.data / "audit/seals"
    wait_for(lambda: newest_seal(seals) >= position)
    return seals / "checkpoints"


def raised(prometheus: PrometheusServer, *names: str, seconds: float = SECONDS, **about: set[str]) -> Alerts:
    """Wait until alerts fire, some of them once for each value of a label, such as a job or projection."""

    def fire(alerts: Alerts) -> bool:
        return {*names, *about} <= alerts.keys() and all(
            all(expected & {*labels.values()} for labels in alerts[name])
            and expected <= {value for labels in alerts[name] for value in labels.values()}
            for name, expected in about.items()
        )

    return prometheus.wait_for(fire, seconds=seconds)


def cleared(prometheus: PrometheusServer, *names: str) -> None:
    """Wait until alerts no longer fire."""
    prometheus.wait_for({*names}.isdisjoint, seconds=SECONDS)


def test_healthy_product_raises_only_the_alerts_of_what_is_missing(
    product: Stack, client: Client, prometheus: PrometheusServer
) -> None:
    register(product, client, "horse")
    missing = {"FleetlogBackupOld", "FleetlogRelayNotLed", "FleetlogReplicaUnfit"}
    prometheus.wait_for(lambda alerts: set(alerts) - {"FleetlogRelayLags"} == missing, seconds=SECONDS)


def test_frozen_worker(product: Stack, prometheus: PrometheusServer) -> None:
    with frozen_worker(product):
        raised(
            prometheus,
            "FleetlogInstanceDown",
            FleetlogServiceDown={"fleetlog-projections"},
            FleetlogProjectionNotLed={*PROJECTIONS},
        )
    cleared(prometheus, "FleetlogInstanceDown", "FleetlogProjectionNotLed", "FleetlogServiceDown")


def test_unreadable_event(
    product: Stack, client: Client, database: psycopg.Connection, prometheus: PrometheusServer
) -> None:
    with frozen_worker(product):
        position = register(product, client, "trailer")
        database.execute(
            "UPDATE log.events SET state = %s WHERE notification_id = %s",
            (b'{"another": "shape"}', position),
        )
    raised(prometheus, FleetlogQuarantined={"trailers"})


def test_locked_read_table(product: Stack, client: Client, prometheus: PrometheusServer) -> None:
    headers = {"Authorization": f"Bearer {product.token()}"}

    def read(size: int) -> int:
        address = f"{product.query_address}/api/v1/horses?page=0&size={size}"
        return client.http.get(address, headers=headers).status_code

    with psycopg.connect(product.owner_dsn) as locking, ThreadPoolExecutor(30) as threads:
        locking.execute("LOCK TABLE read.horses IN ACCESS EXCLUSIVE MODE")
        register(product, client, "horse")  # the cookie makes the reads wait for this event
        answers = [threads.submit(read, size) for size in range(1, 31)]
        raised(
            prometheus,
            "FleetlogReadsStale",
            FleetlogProjectionLags={"horses"},
            FleetlogErrors={"query-api"},
            FleetlogPoolExhausted={"fleetlog-query-api"},
        )
        locking.rollback()
    assert 503 in {answer.result() for answer in answers}
    prometheus.wait_for(lambda alerts: "FleetlogProjectionLags" not in alerts, seconds=SECONDS)


def test_log_with_a_future_moment(
    product: Stack, client: Client, database: psycopg.Connection, prometheus: PrometheusServer
) -> None:
    with frozen_worker(product):
        position = register(product, client, "location")
        backdate(database, position, hours=-1)
        refused = client.request(
            "POST", PATHS["location"], actor=sign_in(product, "staff"), json=usual_body("location").sent
        )
        assert refused.status_code == 503
        raised(prometheus, "FleetlogClockJumped")
        backdate(database, position, hours=1)
    register(product, client, "location")
    cleared(prometheus, "FleetlogClockJumped")


def test_slow_appends(product: Stack, client: Client, prometheus: PrometheusServer) -> None:
    with psycopg.connect(product.owner_dsn) as locking, ThreadPoolExecutor(1) as threads:
        locking.execute("LOCK TABLE log.append_lock IN SHARE UPDATE EXCLUSIVE MODE")
        appending = threads.submit(register, product, client, "horse")
        wait_for_a_waiting_append(locking)
        time.sleep(1)  # longer than the threshold
        locking.rollback()
        appending.result()
    raised(prometheus, "FleetlogAppendsSlow")


def wait_for_a_waiting_append(connection: psycopg.Connection) -> None:
    waiting = "SELECT count(*) FROM pg_locks WHERE relation = 'log.append_lock'::regclass AND NOT granted"
    wait_for(lambda: connection.execute(waiting).fetchone() != (0,))


def test_locked_access_log(product: Stack, client: Client, prometheus: PrometheusServer) -> None:
    headers = {"Authorization": f"Bearer {product.token()}"}
    with psycopg.connect(product.owner_dsn) as locking:
        locking.execute("LOCK TABLE audit.accesses IN SHARE ROW EXCLUSIVE MODE")
        seen = client.http.get(f"{product.query_address}/api/v1/drivers?page=0", headers=headers)
        assert seen.status_code == 200
        raised(prometheus, "FleetlogViewsNotRecorded")
        locking.rollback()
    cleared(prometheus, "FleetlogViewsNotRecorded")


def test_forged_tokens(product: Stack, client: Client, prometheus: PrometheusServer) -> None:
    address = f"{product.service_address('query-api')}/api/v1/horses"
    header, claims, _ = product.token().split(".")
    forged = {"Authorization": f"Bearer {header}.{claims}.{'A' * 342}"}
    assert {client.http.get(address, headers=forged).status_code for _ in range(120)} == {401}
    raised(prometheus, "FleetlogTokensRefused")


def test_almost_full_gateway(product: Stack, prometheus: PrometheusServer) -> None:
    if not knows_javascript():
        pytest.skip("this nginx exports no metrics")
    with HalfSentHeaders(product.port, 220):
        raised(prometheus, "FleetlogGatewayFull")
    cleared(prometheus, "FleetlogGatewayFull")


def test_too_many_streams(product: Stack, client: Client, prometheus: PrometheusServer) -> None:
    headers = {"Authorization": f"Bearer {product.token('analyst')}", "Accept": "text/event-stream"}
    address = f"{product.service_address('query-api')}/api/v1/events"
    with ExitStack() as streams:
        for _ in range(20):
            streams.enter_context(client.http.stream("GET", address, headers=headers))
        assert {client.http.get(address, headers=headers).status_code for _ in range(120)} == {429}
    raised(prometheus, FleetlogLimitReached={"streams-of-subject"})


def test_stopped_log(database: psycopg.Connection, prometheus: PrometheusServer) -> None:
    database.execute("UPDATE log.identity SET stopped = 'by a test'")
    alerts = raised(prometheus, "FleetlogLogStopped")
    assert "FleetlogSealsDoNotFit" not in alerts
    database.execute("UPDATE log.identity SET stopped = NULL")
    cleared(prometheus, "FleetlogLogStopped")


def test_unwritable_seals(
    product: Stack, client: Client, database: psycopg.Connection, prometheus: PrometheusServer
) -> None:
    checkpoints = sealed(product, register(product, client, "horse"))
    with frozen_worker(product):
        backdate(database, register(product, client, "horse"), hours=2)
        kept = checkpoints.rename(checkpoints.with_name("kept"))
        checkpoints.mkdir()
    raised(prometheus, "FleetlogNotSealed")
    with frozen_worker(product):
        checkpoints.rmdir()
        kept.rename(checkpoints)
    cleared(prometheus, "FleetlogNotSealed")


def test_unfinished_erasure(
    product: Stack, client: Client, database: psycopg.Connection, prometheus: PrometheusServer
) -> None:
    position = register(product, client, "horse")  # not an erasure, so that the worker ignores it
    begun = {"begun": {"at": f"{datetime.now(UTC) - timedelta(minutes=11):%Y-%m-%dT%H:%M:%SZ}"}}
    database.execute(
        "INSERT INTO privacy.erasures (entity, entity_id, version, position, steps)"
        " SELECT 'horse', substr(originator_id, 7), 1, notification_id, %s FROM log.events"
        " WHERE notification_id = %s",
        (json.dumps(begun), position),
    )
    raised(prometheus, "FleetlogErasureWaits")
    database.execute("DELETE FROM privacy.erasures WHERE position = %s", (position,))
    cleared(prometheus, "FleetlogErasureWaits")


def test_unavailable_witness(
    product: Stack, client: Client, prometheus: PrometheusServer, witness: Path
) -> None:
    away = witness.rename(witness.with_name("away"))
    register(product, client, "horse")
    raised(prometheus, FleetlogWitnessAway={str(witness)})
    away.rename(witness)
    cleared(prometheus, "FleetlogWitnessAway")


def test_missing_checkpoint(
    product: Stack, client: Client, prometheus: PrometheusServer, tmp_path: Path
) -> None:
    checkpoints = sealed(product, register(product, client, "horse"))
    shutil.move(checkpoints, tmp_path)
    register(product, client, "horse")
    raised(prometheus, "FleetlogSealsDoNotFit")
    shutil.move(tmp_path / checkpoints.name, checkpoints)


def test_relay_lag_of_a_minute(product: Stack, client: Client, prometheus: PrometheusServer) -> None:
    register(product, client, "horse")  # the lag usually dates from the first test's event
    raised(prometheus, "FleetlogRelayLags", seconds=60 + SECONDS)


def test_repeated_restarts(product: Stack, prometheus: PrometheusServer) -> None:
    for _ in range(3):
        started = psutil.Process(product.pid("relay")).create_time()
        wait_for(
            lambda started=started: any(  # type: ignore[misc]
                abs(seen - started) < 0.1 for seen in prometheus.values(RELAY_STARTED)
            )
        )
        product.wait_until_back("relay", product.kill("relay"))
    raised(prometheus, FleetlogRestarts={"fleetlog-relay"})


def test_every_alert_is_raised_here_or_by_promtool() -> None:
    tried = Path(__file__).read_text() + (ALERTS / "fleetlog.rules.test.yaml").read_text()
    assert not {check.alert for check in CHECKS if check.alert not in tried}


def test_configuration_and_rules_pass_promtool(programs: dict[str, str]) -> None:
    for words in (
        ("check", "config", "--lint-fatal", "prometheus.yml"),
        ("test", "rules", "fleetlog.rules.test.yaml"),
    ):
        checked = subprocess.run(
            [programs["promtool"], *words], cwd=ALERTS, capture_output=True, text=True, check=False
        )
        assert checked.returncode == 0, checked.stdout + checked.stderr
