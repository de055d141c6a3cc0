"""HTTP: requests, responses, and the server that both APIs run on."""
