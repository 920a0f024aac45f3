"""The linear program behind a fixed medium, solved as the chain of rows that it is."""
