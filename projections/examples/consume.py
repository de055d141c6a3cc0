"""Follow the events of drivers with a consumer group: python consume.py HOST:PORT GROUP [OPTIONS.json].

Two processes with the same group share the work, and one takes over if the other stops. A new group starts
with the first event; an existing one continues where it stopped. For a broker with TLS or passwords, the file
contains options of kafka-python: {"security_protocol": "SASL_SSL", "sasl_mechanism": "SCRAM-SHA-512",
"sasl_plain_username": …, "sasl_plain_password": …, "ssl_cafile": …}.
"""

import json
import sys
from pathlib import Path

from kafka import KafkaConsumer

servers, group, *file = sys.argv[1:]
options = json.loads(Path(file[0]).read_text()) if file else {}
consumer = KafkaConsumer(
    "fleetlog.driver.events.v2",
    bootstrap_servers=servers,
    group_id=group,
    auto_offset_reset="earliest",
    isolation_level="read_committed",  # leaves out what a relay that was killed did not finish
    enable_auto_commit=False,
    session_timeout_ms=6_000,  # of a member that says nothing more
    **options,
)
print("subscribed", flush=True)
done: dict[int, str] = {}  # the last event of each partition; in real work, kept with what you make of it
for record in consumer:
    attributes = {name.removeprefix("ce_"): value.decode() for name, value in record.headers}
    # At least once: an event may come again, so look at its number before you act on it.
    if attributes["sequence"] > done.get(record.partition, ""):
        done[record.partition] = attributes["sequence"]
        event = json.loads(record.value)
        print(attributes["id"], attributes["type"], attributes["subject"], event["version"], flush=True)
    consumer.commit()  # after the work: a member that dies before this leaves the event to another
