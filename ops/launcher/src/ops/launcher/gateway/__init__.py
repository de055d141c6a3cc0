"""nginx as the gateway: one origin for browsers, requests routed by method."""
