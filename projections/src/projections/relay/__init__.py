"""The relay: every revision's public event and public state, published to Kafka in the log's order."""
