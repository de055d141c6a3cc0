"""`./fleetlog doctor`: looks at everything that has ever gone wrong here, and says what to type.

    machine.py, containers.py    which looks there are to be taken, in either topology, by name
    looks/                       the looks: functions that take what they look at and tell what they find
    running.py                   takes them side by side, in bounded time; tells what was found

A look changes nothing. The next one is a query, or a function of `looks/` and a line of the registries.
"""
