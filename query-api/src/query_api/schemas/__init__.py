"""Public descriptions of the event stream: schemas and the AsyncAPI document."""
