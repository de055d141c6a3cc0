"""Query parameters of the feed."""

import httpx
import pytest

from query_api.feed.formats import preferred

OFFERED = ["application/cloudevents-batch+json", "application/x-ndjson", "text/event-stream"]
BATCH, NDJSON, SSE = OFFERED
EVENTS = "/api/v1/events"


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("", BATCH),
        ("*/*", BATCH),
        ("application/*", BATCH),
        ("text/*", SSE),
        ("text/event-stream", SSE),
        ("TEXT/EVENT-STREAM ; charset=utf-8", SSE),
        ("text/html, application/x-ndjson;q=0.9, */*;q=0.1", NDJSON),
        ("application/x-ndjson;q=0.2, text/event-stream;q=0.5", SSE),
        ("*/*;q=0.5, application/cloudevents-batch+json;q=0", NDJSON),
        ("application/*;q=0.1, text/*;q=1, text/event-stream;q=0.05", BATCH),
        ("text/event-stream;q=nonsense", SSE),
        ("text/html", None),
        ("application/json", None),
        ("*/*;q=0", None),
        (",;,", BATCH),
    ],
)
def test_preferred_format_is_chosen(accept: str, expected: str | None) -> None:
    assert preferred(accept, OFFERED) == expected


async def test_all_errors_are_reported_together(shared_client: httpx.AsyncClient) -> None:
    answer = await shared_client.get(
        f"{EVENTS}?entity=plane&limit=0&type=.", headers={"Last-Event-ID": "the last one"}
    )
    fields = [error["field"] for error in answer.json()["validation_errors"]]
    assert sorted(fields) == ["Last-Event-ID", "entity", "limit", "type"]


async def test_unacceptable_formats_are_refused(
    shared_client: httpx.AsyncClient,
) -> None:
    answer = await shared_client.get(EVENTS, headers={"Accept": "text/html"})
    assert (answer.status_code, answer.json()["type"]) == (406, "urn:fleetlog:problem:not-acceptable")
    assert all(media_type in answer.json()["detail"] for media_type in OFFERED)
    assert (await shared_client.get(f"{EVENTS}?format=batch", headers={"Accept": "text/html"})).is_success


async def test_head_of_the_feed_does_not_wait(shared_client: httpx.AsyncClient) -> None:
    for query, media_type in (("format=sse", SSE), ("format=ndjson&follow=true", NDJSON), ("wait=30", BATCH)):
        answer = await shared_client.head(f"{EVENTS}?{query}")
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(media_type)
        assert answer.content == b""
