"""How the system is doing: for those who look after it."""
