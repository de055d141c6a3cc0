"""`ops/kubernetes` rendered, and held against the schemas of what is to read it."""
