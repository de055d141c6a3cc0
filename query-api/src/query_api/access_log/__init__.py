"""The access log: which users were shown whose personal data.

Endpoints pass their answers to `disclosure.disclose`, and `ops.base.access_log` records them. `views` and
`reveals` read the log; `routes` serve it.
"""
