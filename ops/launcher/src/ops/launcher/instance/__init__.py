"""One instance of the product: data folder, secrets and running processes."""
