"""The read side: read tables over HTTP."""
