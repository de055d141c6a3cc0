"""Commands: what a client asks for becomes an event, or a refusal that says why."""
