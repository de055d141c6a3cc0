"""What services and the gateway answer themselves."""

import socket
from collections.abc import Iterable
from typing import Any, Final

from ops.launcher.doctor.commands import Commands
from ops.launcher.doctor.findings import Finding, Findings, warning, well, wrong
from ops.launcher.instance.readiness import ask, brief, document_of, faults

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
    bad = faults(answer.content)
    yield from (_fault(part, name, check, commands) for name, check in bad.items())
    if not bad:
        yield well("ready") if answer.is_success else wrong(f"{part} answers {answer.status_code}", log)


def _fault(part: str, name: str, check: dict[str, Any], commands: Commands) -> Finding:
    what = f"{part} says of {name}: {brief(check) or 'not ok'}"
    detail = check.get("detail")
    set_aside = isinstance(detail, dict) and bool(detail.get("quarantined"))
    mending = {
        "log_stopped": (commands.accept,),
        "clock": ("date -u", "sudo chronyc makestep"),
        "sealing": (commands.verify,),
    }.get(name, (commands.projections, commands.retry) if set_aside else (commands.log_of(part),))
    # Records that are set aside are shown as they were: the runbook calls that critical.
    return (wrong if set_aside or not check.get("ok") else warning)(what, *mending)


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
