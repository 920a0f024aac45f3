"""Counting: sources, predicates, adjacency and the public range. Nothing here is private yet."""

from hushcount.counting.adjacency import Adjacency, public_range
from hushcount.counting.judging import judge
from hushcount.counting.options import ReadOptions
from hushcount.counting.predicate import Predicate, parse_predicate
from hushcount.counting.reading import check_source, read_schema
from hushcount.counting.schema import Schema, SchemaColumn
from hushcount.counting.tally import OpenTable, Tally, count_matching

__all__ = [
    "Adjacency",
    "OpenTable",
    "Predicate",
    "ReadOptions",
    "Schema",
    "SchemaColumn",
    "Tally",
    "check_source",
    "count_matching",
    "judge",
    "parse_predicate",
    "public_range",
    "read_schema",
]
