"""The whole log as auditors read it: one timeline, searched, exported, and who looked behind the masks."""
