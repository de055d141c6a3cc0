"""Support for the query API's tests."""
