"""Why the parts of SQL outside the allow-list are refused, in one place."""

from __future__ import annotations

from hushcount.counting.predicate.nodes import PARTS

__all__ = [
    "CHARACTERS",
    "COMPARISONS",
    "DOUBLED",
    "FUNCTIONS",
    "GRAMMAR_WORDS",
    "MISSING",
    "RESERVED_WORDS",
    "SYMBOLS",
    "TOO_DEEP",
    "UNKNOWN_SYMBOL",
    "WORDS",
    "double_quotes",
    "is_known",
    "of_function",
    "single_quotes",
]

FUNCTIONS = ("lower", "upper", "trim", "length", "abs", "coalesce", "extract", *PARTS)

TOO_DEEP = "predicate is nested too deeply; AND and OR of many parts need no parentheses"
UNKNOWN_SYMBOL = "it is not among the operators allowed, which are = <> < <= > >= + - * / %"

_SUBQUERY = "a subquery looks at other rows; a predicate may only look at the row it judges"
_AGGREGATE = "an aggregate looks at other rows; a predicate may only look at the row it judges"
_WINDOW = "a window function looks at other rows; a predicate may only look at the row it judges"
_VOLATILE = "its value differs from run to run, so the same row would not always be judged the same"
_FILE = "it reads files; a predicate may only look at the row it judges"
_CAST = "a cast may fail on some row and the failure would leak it; compare with a literal of the column's own type"
_PARAMETER = "parameters are not allowed; write the value itself"
_STATEMENT = "only one expression is allowed, not a statement; a column of that name goes in double quotes"
_LIKE = "only LIKE is allowed for patterns; for any case write lower(column) LIKE 'pattern'"
_NULL = "whether a value is missing is asked by IS NULL or IS NOT NULL"
_AND, _OR = "conditions are joined by AND", "one condition or another is OR"
_NOT = "write NOT before a condition, and <> for not equal"
_POWER = "there are no powers; write a product, such as x * x"

_FUNCTION_REASONS = {
    _SUBQUERY: "exists any all some",
    _AGGREGATE: """count sum avg mean min max median mode stddev stddev_pop stddev_samp variance var_pop var_samp first
        last any_value arg_min arg_max min_by max_by list array_agg string_agg group_concat listagg quantile
        quantile_cont quantile_disc percentile_cont percentile_disc bool_and bool_or bit_and bit_or bit_xor corr
        covar_pop covar_samp histogram product entropy kurtosis skewness mad count_if countif count_star
        approx_count_distinct approx_quantile sum_no_overflow favg fsum geomean grouping""",
    _WINDOW: """row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value over
        filter""",
    _VOLATILE: """random rand now today current_date current_time current_timestamp localtime localtimestamp
        get_current_time get_current_timestamp transaction_timestamp uuid gen_random_uuid uuidv4 uuidv7 setseed nextval
        currval txid_current current_user session_user user current_setting getvariable getenv version pg_sleep age""",
    _FILE: """read_csv read_csv_auto sniff_csv read_parquet parquet_scan parquet_metadata parquet_schema read_json
        read_json_auto read_ndjson read_json_objects read_text read_blob read_duckdb glob sqlite_scan postgres_scan
        mysql_scan iceberg_scan delta_scan arrow_scan query query_table load_extension""",
    _NULL: "isnull is_null isna is_na na isnan is_nan notnull notna",
    _LIKE: """contains startswith starts_with endswith ends_with prefix suffix str_detect grepl regexp_matches
        regexp_full_match regexp_like""",
    "write coalesce(column, value)": "ifnull nvl",
    _CAST: "cast try_cast safe_cast convert to_date to_timestamp to_number date timestamp strptime try_strptime",
}
_REASON_OF_FUNCTION = {name: reason for reason, names in _FUNCTION_REASONS.items() for name in names.split()}


def is_known(name: str) -> bool:
    """Return whether there is a reason why just the function `name` is refused."""
    return name.lower() in _REASON_OF_FUNCTION


def of_function(name: str) -> str:
    """Return why the function `name` is refused."""
    return _REASON_OF_FUNCTION.get(name.lower(), f"the functions allowed are {', '.join(FUNCTIONS)}")


_WORD_REASONS = {
    _SUBQUERY: "SELECT WITH VALUES UNION EXISTS ANY ALL SOME",
    _WINDOW: "OVER QUALIFY PARTITION",
    f"{_VOLATILE}; a column of that name needs double quotes": """CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP LOCALTIME
        LOCALTIMESTAMP CURRENT_USER SESSION_USER CURRENT_ROLE CURRENT_CATALOG CURRENT_SCHEMA""",
    _STATEMENT: "INSERT UPDATE DELETE DROP CREATE ALTER ATTACH COPY",
    _LIKE: "ILIKE GLOB SIMILAR RLIKE REGEXP",
    "LIKE ... ESCAPE is not allowed": "ESCAPE",
    "texts are compared as they are, so COLLATE is not allowed": "COLLATE",
    "it is not among what is allowed; write the cases out with IS NULL": "DISTINCT",
    "BETWEEN SYMMETRIC is not allowed; put the smaller end first": "SYMMETRIC",
    "write CASE WHEN condition THEN value ELSE value END": "IF",
}
WORDS = {word: reason for reason, words in _WORD_REASONS.items() for word in words.split()}
GRAMMAR_WORDS = frozenset(
    ["AND", "OR", "NOT", "IN", "IS", "NULL", "BETWEEN", "LIKE", "CASE", "WHEN", "THEN", "ELSE", "END", "FROM"]
)
RESERVED_WORDS = GRAMMAR_WORDS | WORDS.keys() | {"TRUE", "FALSE", "DATE", "TIMESTAMP", "UNKNOWN"}

SYMBOLS = {
    "::": _CAST,
    "?": _PARAMETER,
    "$": _PARAMETER,
    "@": _PARAMETER,
    ":": _PARAMETER,
    ";": f"{_STATEMENT}, so no semicolon",
    "&": _AND,
    "&&": _AND,
    "|": _OR,
    "||": f"joining texts is not among what is allowed, and {_OR}",
    "=>": "write >=",
    "!": _NOT,
    "^": _POWER,
    "**": _POWER,
    "`": "a column name goes in double quotes, a text in single",
    "~": _LIKE,
    "~~": _LIKE,
    "~~*": _LIKE,
    "!~": _LIKE,
    "->": "lambdas and JSON paths are not among what is allowed",
    "[": "lists are not among what is allowed; after IN write parentheses, and a column name with brackets in double "
    "quotes",
    "{": "structures are not among what is allowed",
}
COMPARISONS = frozenset(["=", "==", "<>", "!=", "<", "<=", ">", ">="])
DOUBLED = {"=<": "<=", "=>": ">=", "===": "=", "!==": "<>", "><": "<>"}
"""What comparisons that follow each other were meant as."""

_QUOTES = "a text is in single quotes, 'text', and a column name in double, \"name\""
CHARACTERS = {
    "\u2265": "write >=",
    "\u2264": "write <=",
    "\u2260": "write <>",
    "\u2227": _AND,
    "\u2228": _OR,
    "\u00ac": _NOT,
    "\u2208": "write IN (...)",
    "\u00d7": "write *",
    "\u00f7": "write /",
    "\u00a0": "write a blank",
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "write -"),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u00b4", _QUOTES),
}
"""What to write in place of a character outside ASCII that stands for a sign of SQL."""

MISSING = frozenset(["na", "nan", "nat", "nil", "none", "missing"])
"""Words, in small letters, that other programs have for a missing value."""


_LONGEST = 60
"""The longest name that a message repeats, as a text or as a column."""


def double_quotes(name: str) -> str:
    """Return what to add where a column may be meant whose name SQL reads as something else."""
    doubled = name.replace('"', '""')
    example = f': "{doubled}"' if len(name) <= _LONGEST and name.isprintable() else ""
    return f"; a column name with blanks or signs is in double quotes{example}"


def single_quotes(name: str) -> str:
    """Return what to add where a name stands that may be meant as a text, or as a missing value."""
    missing = f"; {_NULL}" if name.lower() in MISSING else ""
    doubled = name.replace("'", "''")
    example = f": '{doubled}'" if len(name) <= _LONGEST and name.isprintable() else ""
    return f"{missing}; a text is in single quotes{example}"
