"""The life of a service's process: tasks, heartbeat, watchdog, restart."""
