"""The statements of the paper, each with its cases."""
