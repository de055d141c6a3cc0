"""Lists a page at a time: the requested page, order and filters, and their SQL."""
