"""The write side: commands over HTTP become events in the append-only log."""
