"""Whose data is restricted or erased: how it stands with one record, and with all who were asked for."""
