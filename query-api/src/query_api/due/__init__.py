"""Documents of drivers that have expired or are about to."""
