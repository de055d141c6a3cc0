"""`./fleetlog kafka up|down`: an Apache Kafka broker on this machine, for development and tests."""

import argparse

from ops.development.kafka.broker import HOST, Broker
from ops.launcher.instance.data_folder import DataFolder, add_data_argument


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "verb",
        choices=("up", "down"),
        help="up: run a broker in the background; down: stop it, retaining topics",
    )
    parser.add_argument("--port", type=int, default=9092, help="port on 127.0.0.1 (default: 9092)")
    add_data_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Start the broker, or stop it."""
    folder = DataFolder(arguments.data)
    broker = Broker(folder.kafka, folder.logs / "kafka.log")
    if arguments.verb == "down":
        print("stopped" if broker.stop() else "no broker is running")
        return 0
    folder.create()
    record = broker.start(arguments.port)
    address = f"{HOST}:{record.port}"
    print(f"Kafka is ready: {address} (./fleetlog kafka down stops it)")
    print(f"./fleetlog up --kafka {address} publishes to it")
    return 0
