"""What every service stands on: settings, sign-in, database, problems, telemetry."""
