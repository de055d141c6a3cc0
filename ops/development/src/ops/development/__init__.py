"""Tools for developers: identity provider, demonstration, benchmarks, test suites."""
