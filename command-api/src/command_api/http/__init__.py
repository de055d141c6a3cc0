"""HTTP interface of the write side."""
