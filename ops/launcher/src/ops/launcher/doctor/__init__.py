"""`./fleetlog doctor`: finds what is wrong with an instance or its machine, and says what to type.

    machine.py, containers.py    the checks of either topology, by name; common.py has those of both
    checks/                      the checks: functions that yield findings, and queries
    running.py                   runs them concurrently, in bounded time, and prints the findings

A check changes nothing. To add one: a Check of `ops.base.checks.registry` if SQL or a readiness check shows
it, or else a function of `checks/` and a line of `machine.py` or `containers.py`.
"""
