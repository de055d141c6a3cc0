"""What only developers of Fleetlog run: an identity provider, a demonstration, benchmarks, test suites."""
