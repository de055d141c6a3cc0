"""The access log: records to whom an answer of either API has shown whose personal data."""
