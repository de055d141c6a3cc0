"""One instance of the product: its data folder, its secrets, what is running of it."""
