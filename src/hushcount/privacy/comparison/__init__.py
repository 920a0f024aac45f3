"""The mechanisms that a user can choose from, side by side."""
