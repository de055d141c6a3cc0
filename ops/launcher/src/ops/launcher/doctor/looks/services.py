"""What services and the gateway answer themselves."""

import socket
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ops.base.checks.readiness import check_of, failing, reason
from ops.launcher.doctor.commands import Commands
from ops.launcher.doctor.findings import Finding, Findings, warning, well, wrong
from ops.launcher.doctor.looks.database import typed
from ops.launcher.instance.readiness import ask, checks_of, document_of

_TRIED_ROUTE: Final = "/api/v1/drivers"


def service(part: str, readyz: str, commands: Commands) -> Findings:
    """Look at a service's readiness, and say what to do about each of its checks that fails.

    Args:
        part: the service's name.
        readyz: where it tells.
        commands: of this topology.
    """
    log = commands.log_of(part)
    try:
        answer = ask(readyz)
    except OSError as error:
        yield wrong(f"{part} does not answer: {error}", log, commands.status)
        return
    bad = failing(checks_of(answer))
    yield from (_fault(part, name, check, commands) for name, check in bad.items())
    if not bad:
        yield well("ready") if answer.is_success else wrong(f"{part} answers {answer.status_code}", log)


def _fault(part: str, name: str, answer: Mapping[str, Any], commands: Commands) -> Finding:
    check = check_of(name, answer)
    fix = (commands.log_of(part),) if check is None else typed(check, commands)
    # Users see the former values of quarantined records, which is as bad as a failing check.
    is_wrong = not answer.get("ok") or (check is not None and "quarantined" in check.readiness)
    return (wrong if is_wrong else warning)(f"{part} reports {name}: {reason(answer)}", *fix)


def services_by_name(service_name: str, places: Iterable[str], commands: Commands) -> Findings:
    """Look at all containers that answer to a name.

    Args:
        service_name: of `compose.yaml`.
        places: `HOST:PORT`; a name may stand for several.
        commands: of this topology.
    """
    for place in places:
        host, _, port = place.rpartition(":")
        try:
            found = socket.getaddrinfo(host, int(port), socket.AF_INET, socket.SOCK_STREAM)
        except OSError:
            yield wrong(f"no {service_name} runs: nobody is called {host}", commands.start, commands.status)
            continue
        for *_, address in found:
            yield from service(service_name, f"http://{address[0]}:{port}/readyz", commands)


def gateway(address: str, issuer: str, commands: Commands) -> Findings:
    """Look whether browsers are sent to the right place to sign in, and requests to a service.

    Args:
        address: where the gateway answers.
        issuer: where people are to sign in.
        commands: of this topology.
    """
    log = commands.log_of("gateway")
    try:
        told, routed = ask(f"{address}/config.json"), ask(f"{address}{_TRIED_ROUTE}")
    except OSError as error:
        yield wrong(f"the gateway at {address} does not answer: {error}", log, commands.status)
        return
    domain = document_of(told).get("auth", {}).get("domain")
    if domain is None:
        yield wrong(f"what answers at {address} is not our gateway ({told.status_code})", log)
    elif issuer and domain != issuer.removesuffix("/"):
        yield wrong(f"browsers sign in at {domain}, and services trust {issuer}", commands.start)
    elif routed.status_code != 401:  # we have no token
        what = f"the gateway answers {routed.status_code} in the place of a service"
        yield wrong(what, log, commands.status)
    else:
        yield well(f"{address} answers, and passes requests on")
