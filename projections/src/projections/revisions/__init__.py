"""The read table `revisions`: a row for every position of the log."""
