"""The registry of checks: what can be wrong with a running product, declared once.

    registry.py     CHECKS: name, severity, message, SQL, PromQL, readiness check, fix
    database.py     runs their SQL, for the System screen and `./fleetlog doctor`
    __main__.py     generates ops/alerts/fleetlog.rules.gen.yaml: `python -m ops.base.checks`
    readiness.py    texts of failing readiness checks, for `/readyz`, `./fleetlog status` and the doctor

Each check has a runbook in ops/alerts/README.md, under its alert's name.
"""
