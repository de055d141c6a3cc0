"""The split topology without containers: what `compose.yaml` says, as processes of this machine."""
