"""A stand-in for node_exporter: one disk with an adjustable free share, and the textfile collector."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry, Gauge, start_http_server
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

from ops.launcher.processes.ports import free_port

DISK: Final = {"device": "/dev/vda1", "fstype": "ext4", "mountpoint": "/"}


class Host:
    """A monitored host whose disk is half full at first.

    Attributes:
        address: `host:port` of its exporter.
        textfiles: the folder of exported `.prom` files.
    """

    def __init__(self, address: str, textfiles: Path, registry: CollectorRegistry) -> None:
        self.address = address
        self.textfiles = textfiles
        self._available = _gauge("node_filesystem_avail_bytes", registry)
        _gauge("node_filesystem_size_bytes", registry).set(1e12)
        _gauge("node_filesystem_readonly", registry).set(0)
        registry.register(_Textfiles(textfiles))
        self.leave(0.5)

    def leave(self, share: float) -> None:
        """Set the free share of the disk."""
        self._available.set(share * 1e12)


class _Textfiles(Collector):
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> Iterator[Metric]:
        for file in self._folder.glob("*.prom"):
            yield from text_string_to_metric_families(file.read_text())


def _gauge(name: str, registry: CollectorRegistry) -> Gauge:
    return Gauge(name, name, DISK, registry=registry).labels(**DISK)


@contextmanager
def running_host(textfiles: Path) -> Iterator[Host]:
    """Run the exporter of a host until the context's end."""
    registry, port = CollectorRegistry(), free_port()
    host = Host(f"127.0.0.1:{port}", textfiles, registry)
    server, thread = start_http_server(port, "127.0.0.1", registry)
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
