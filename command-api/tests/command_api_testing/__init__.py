"""Support for the command API's tests."""
