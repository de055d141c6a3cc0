"""What operators ask of the workers, and who carries it out."""
