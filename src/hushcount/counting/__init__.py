"""Counting: sources, predicates, adjacency and the public range. Nothing here is private yet."""

from hushcount.counting.adjacency import Adjacency, public_range
from hushcount.counting.options import ReadOptions
from hushcount.counting.predicate import Predicate, parse_predicate
from hushcount.counting.tally import OpenTable, Tally, count_matching

__all__ = [
    "Adjacency",
    "OpenTable",
    "Predicate",
    "ReadOptions",
    "Tally",
    "count_matching",
    "parse_predicate",
    "public_range",
]
