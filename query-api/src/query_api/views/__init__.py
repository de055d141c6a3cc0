"""Who was shown whose personal data.

An endpoint says with each answer what personal data it shows (`showing`); `ops.base.access_log` records that;
`reading` and `routes` return what was recorded.
"""
