"""The split topology of `compose.yaml` as processes of this machine, without containers."""
