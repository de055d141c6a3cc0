"""Lists a page at a time: which part of a list a client asks for, and the SQL that picks it."""
