"""A program that registers a horse, changes it, and follows the events until it has seen both.

FLEETLOG_URL, FLEETLOG_TOKEN_ENDPOINT, FLEETLOG_AUDIENCE, FLEETLOG_CLIENT_ID and
FLEETLOG_CLIENT_SECRET are set.
"""

import json
import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

POSITION = Path("program-position")


def sign_in(http: httpx.Client) -> None:
    """Get a token for the client itself; repeat it before `expires_in` seconds have passed."""
    names = {"client_id": "CLIENT_ID", "client_secret": "CLIENT_SECRET", "audience": "AUDIENCE"}
    form = {name: os.environ[f"FLEETLOG_{variable}"] for name, variable in names.items()}
    form["grant_type"] = "client_credentials"
    answer = http.post(os.environ["FLEETLOG_TOKEN_ENDPOINT"], data=form).raise_for_status()
    http.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"


def register(http: httpx.Client, horse: dict[str, Any], key: str) -> httpx.Response:
    """Register a horse once, however often it is tried: store the key before the first request."""
    for wait in (0, 1, 2, 4, 8):
        time.sleep(wait)
        try:
            answer = http.post("/api/v1/horses", json=horse, headers={"Idempotency-Key": key})
        except httpx.TransportError:
            continue
        if answer.status_code not in (429, 502, 503, 504):
            return answer.raise_for_status()
    raise SystemExit("no answer: try again later, with the same key")


def events(http: httpx.Client) -> Iterator[dict[str, Any]]:
    """Follow the events after the saved position, which is saved when an event has been processed."""
    after = POSITION.read_text() if POSITION.exists() else "0"
    place = {"after": after, "format": "sse"}
    with http.stream("GET", "/api/v1/events", params=place, timeout=90) as answer:
        for line in answer.raise_for_status().iter_lines():
            name, _, value = line.partition(": ")
            if name == "id":
                after = value
            elif name == "data":
                yield json.loads(value)
            elif not line:
                POSITION.write_text(after)


def main() -> None:
    with httpx.Client(base_url=os.environ["FLEETLOG_URL"]) as http:
        sign_in(http)
        horse = {"chassis_number": "MAT448061", "engine_number": "ISBE5921", "identifier": "Prima 4928"}
        made = register(http, horse, key=str(uuid.uuid4()))
        place, position = made.headers["location"], made.headers["fleetlog-position"]
        read = http.get(place, headers={"Fleetlog-Position": position}).raise_for_status()
        changed = http.put(
            place, json={**horse, "identifier": "Prima 4940"}, headers={"If-Match": read.headers["etag"]}
        )
        if changed.status_code == 412:
            raise SystemExit(f"changed meanwhile: {changed.json()['changed_since']}")
        changed.raise_for_status()
        for event in events(http):
            if event["subject"] == read.json()["id"]:
                print(event["type"], event["id"])
                if event["type"].startswith("fleetlog.horse.details_changed"):
                    break


if __name__ == "__main__":
    main()
