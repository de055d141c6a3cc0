"""Makes it true everywhere that somebody was forgotten, and says so in a receipt."""
