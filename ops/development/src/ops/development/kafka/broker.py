"""A Kafka broker in the background, identified by pid and start time."""

import base64
import os
import secrets
import signal
import subprocess
import time
from pathlib import Path
from typing import Final

import psutil
from pydantic import BaseModel, ValidationError

from ops.development.maven import ensure_downloaded, find_java
from ops.launcher.errors import LauncherError
from ops.launcher.paths import PROJECT
from ops.launcher.processes.command_lines import tied_to_parent
from ops.launcher.processes.orphans import find_process
from ops.launcher.processes.ports import free_port, is_free
from ops.launcher.programs import last_line, run_silently

HOST: Final = "127.0.0.1"
STARTED: Final = "Kafka Server started"
"""The broker's log line when it is ready."""
_NAME: Final = "Apache Kafka"
_SOURCE: Final = PROJECT / "ops" / "kafka"
_START_SECONDS: Final = 90.0
_STOP_SECONDS: Final = 30.0
_JVM: Final = ("-Xms64m", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
_PROPERTIES: Final = """\
# Written by ./fleetlog kafka up at every start.
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://{host}:{port},CONTROLLER://{host}:{controller_port}
advertised.listeners=PLAINTEXT://{host}:{port}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
controller.quorum.bootstrap.servers={host}:{controller_port}
log.dirs={topics}
auto.create.topics.enable=false
num.partitions=6
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=4
group.initial.rebalance.delay.ms=0
"""


def java_command(*options: str) -> list[str]:
    """Return the command line of Java with the broker's jars, which it downloads if they are missing."""
    java = find_java(_NAME)
    jars = ensure_downloaded(_NAME, _SOURCE, "dependency:copy-dependencies", "-DincludeScope=runtime")
    return [java, *options, "-cp", f"{jars}/*"]


class BrokerRecord(BaseModel):
    """The broker's process.

    Attributes:
        started: start time, in seconds since the epoch, because pids are reused.
        port: port for clients on 127.0.0.1.
    """

    pid: int
    started: float
    port: int
    controller_port: int


class Broker:
    """A broker and its data.

    Attributes:
        folder: folder of topics, configuration and process record.
    """

    def __init__(self, folder: Path, log: Path, *, properties: str = "") -> None:
        """Prepare a broker; `start` runs it.

        Args:
            properties: additional lines of its configuration, which override the defaults; `{host}`, `{port}`
                and `{controller_port}` are replaced.
        """
        self.folder = folder
        self._more_properties = properties
        self.log = log
        self._record = folder / "running.json"
        self._properties = folder / "server.properties"
        self._topics = folder / "topics"

    def running(self) -> BrokerRecord | None:
        """Return the record of the broker if it is running."""
        return self._read() if self._process() else None

    def start(self, port: int, *, tied: bool = False) -> BrokerRecord:
        """Start the broker in the background and return when it is ready.

        Args:
            tied: whether the broker ends with the thread that started it (`tied_to_parent`).
        """
        if (running := self.running()) is not None:
            raise LauncherError(f"a broker is running on {self.folder} already, at {HOST}:{running.port}")
        if not is_free(port):
            raise LauncherError(f"port {port} is in use; choose another one with --port")
        run = java_command(*_JVM, f"-Dlog4j2.configurationFile={_SOURCE / 'log4j2.properties'}")
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        former = self._read()
        # The cluster's metadata contains the port, so reuse it while it is free.
        own = former.controller_port if former and is_free(former.controller_port) else free_port()
        self._properties.write_text(
            (_PROPERTIES + self._more_properties).format(
                host=HOST, port=port, controller_port=own, topics=self._topics
            )
        )
        if not (self._topics / "meta.properties").exists():
            self._format(run)
        begin = self.log.stat().st_size if self.log.exists() else 0
        descriptor = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            command = [*run, "kafka.Kafka", str(self._properties)]
            process = subprocess.Popen(
                tied_to_parent(command, signal.SIGKILL) if tied else command,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=descriptor,
                stderr=descriptor,
                start_new_session=True,
            )
        finally:
            os.close(descriptor)
        record = BrokerRecord(
            pid=process.pid, started=psutil.Process(process.pid).create_time(), port=port, controller_port=own
        )
        self._record.write_text(record.model_dump_json())
        self._wait_until_started(process, begin)
        process.returncode = 0  # it outlives this process; prevents a ResourceWarning
        return record

    def stop(self) -> bool:
        """Stop the broker, by SIGKILL after a time limit; return False if it was not running."""
        process = self._process()
        if process is None:
            return False
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(_STOP_SECONDS)
        except psutil.TimeoutExpired:
            process.kill()
            process.wait(_STOP_SECONDS)
        return True

    def _format(self, run: list[str]) -> None:
        """Format the folder for a cluster of one node, again if it was formatted partially."""
        tool = [*run, "kafka.tools.StorageTool"]
        failed = f"cannot format {self._topics}"
        # An id as from its `random-uuid`, without another start of Java; it must not begin with a hyphen.
        name = base64.urlsafe_b64encode(b"\0" + secrets.token_bytes(15)).rstrip(b"=").decode()
        command = [*tool, "format", "--standalone", "--ignore-formatted", "-t", name]
        run_silently([*command, "-c", str(self._properties)], failed)

    def _wait_until_started(self, process: subprocess.Popen[bytes], begin: int) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while True:
            with self.log.open("rb") as log:
                log.seek(begin)
                output = log.read().decode(errors="replace")
            if STARTED in output:
                return
            if process.poll() is not None:
                raise LauncherError(f"the broker ended: {last_line(output)}; see {self.log}")
            if time.monotonic() > deadline:
                process.kill()
                raise LauncherError(
                    f"the broker has not started after {_START_SECONDS:.0f} s; see {self.log}"
                )
            time.sleep(0.05)

    def _read(self) -> BrokerRecord | None:
        try:
            return BrokerRecord.model_validate_json(self._record.read_text())
        except (OSError, ValidationError):
            return None

    def _process(self) -> psutil.Process | None:
        record = self._read()
        return find_process(record.pid, record.started, "java") if record else None
