"""An Apache Kafka broker from its jars, for development and tests."""
