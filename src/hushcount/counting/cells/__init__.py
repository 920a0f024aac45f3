"""The cells of a table of counts: keys, their types, and files of them."""
