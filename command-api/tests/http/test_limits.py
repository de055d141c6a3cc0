"""Limit of concurrent requests of one subject."""

import asyncio
from collections.abc import Callable

import httpx
from command_api_testing.fleet import new_body, path_of
from command_api_testing.log_in_memory import LogInMemory

from command_api.app import build_app
from ops.base.settings import ServiceSettings
from ops.testing.conditions import wait_until
from ops.testing.http_servers import serve
from ops.testing.metrics import sample
from ops.testing.token_issuer import TokenIssuer


def running() -> float:
    return sample("fleetlog_limit_running", limit="requests-of-subject")


async def test_concurrent_requests_of_one_subject_are_limited(
    settings_with: Callable[..., ServiceSettings], log: LogInMemory, issuer: TokenIssuer
) -> None:
    settings = settings_with(requests_per_subject=1)
    greedy, another = ({"Authorization": f"Bearer {issuer.token(sub=sub)}"} for sub in ("greedy", "another"))
    async with (
        serve(build_app(settings, log)) as origin,
        httpx.AsyncClient(base_url=origin, trust_env=False, timeout=60) as client,
    ):

        async def post(headers: dict[str, str]) -> httpx.Response:
            return await client.post(path_of("horse"), json=new_body("horse"), headers=headers)

        _, writer = await asyncio.open_connection(*origin.removeprefix("http://").split(":"))
        head = f"POST {path_of('horse')} HTTP/1.1\r\nHost: x\r\nAuthorization: {greedy['Authorization']}\r\n"
        writer.write(f"{head}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{{".encode())
        await wait_until(lambda: running() == 1)  # otherwise the next request could be first
        refused = await post(greedy)
        assert refused.status_code == 429
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.headers["retry-after"] == "1"
        assert (await post(another)).status_code == 201
        writer.close()
        await wait_until(lambda: running() == 0)
        assert (await post(greedy)).status_code == 201
