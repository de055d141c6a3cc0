"""CycloneDX documents of the images and the frontend, made from the lock files."""
