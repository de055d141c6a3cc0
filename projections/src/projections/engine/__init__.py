"""Making rows of events: a projection, its steps, and what it has to set aside."""
