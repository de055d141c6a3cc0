"""What describes the event stream: its schemas and its AsyncAPI document, for everybody."""
