"""nginx in front of everything: one origin, routed by method."""
