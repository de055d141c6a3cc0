"""The write side's HTTP: reading requests strictly, answering as specified."""
