"""The workers of one process: projections, sealing, erasure, verification and requested operations."""
