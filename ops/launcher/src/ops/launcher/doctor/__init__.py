"""Diagnosis of an instance and its machine: findings, each with commands that fix it.

    __main__.py, ../commands/doctor.py    the checks of either topology, by name
    checks/                               the checks: functions that yield findings, and queries
    runner.py                             runs them concurrently, in bounded time, and prints the findings

A check changes nothing. To add one: a Check of `ops.base.checks.registry` if SQL or a readiness check shows
it, or else a function of `checks/` and a line of one of the first two.
"""
