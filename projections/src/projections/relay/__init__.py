"""The relay: publishes every revision's public event and public state to Kafka, in the log's order."""
