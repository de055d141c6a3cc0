"""Webhooks: CloudEvents over HTTPS, signed as Standard Webhooks."""
