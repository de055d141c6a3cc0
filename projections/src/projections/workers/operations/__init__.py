"""Actions that operators request (retry, rebuild, verify), and their execution."""
