"""The options that commands share, in bundles: one file per group of the help."""
