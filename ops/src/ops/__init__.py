"""Running Fleetlog: `base` is what every service stands on, `launcher` starts them all."""
