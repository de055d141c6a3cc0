"""Node, npm and the built frontend."""
