"""Audits against Gaussian differential privacy: the least mu of a mechanism or a matrix."""
