"""The access log: the answers of both APIs that show personal data, and to whom."""
