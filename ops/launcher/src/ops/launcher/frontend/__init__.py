"""Node, npm and the build of the frontend."""
