"""Commands of clients, which become events or refusals."""
