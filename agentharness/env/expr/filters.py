"""The table of filters: each with a version that the world digest holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from agentharness.env.expr import filter_list as lists
from agentharness.env.expr import filter_text as texts
from agentharness.env.expr.filter_base import string

Form: TypeAlias = Literal["value", "number", "same", "item", "list", "flat", "fields", "pairs", "groups", "batches", "default", "cast"]
"""How a filter's result follows from its input: see _result in calls.py."""


@dataclass(frozen=True, slots=True)
class FilterInfo:
    """A filter: its semantics' version, its function, parameter -> default (REQUIRED where there is none), and the form of its result.

    A parameter called `attribute` takes a constant field name, one called `pattern` a constant regular expression."""

    version: int
    call: Callable[..., Any]
    params: Mapping[str, Any]
    form: Form


REQUIRED: Any = object()


def _info(call: Callable[..., Any], form: Form = "value", version: int = 1, **params: Any) -> FilterInfo:
    return FilterInfo(version, call, params, form)


FILTERS: dict[str, FilterInfo] = {
    "abs": _info(lists.do_abs, "number"),
    "batch": _info(lists.do_batch, "batches", size=REQUIRED),
    "calc": _info(lists.do_calc, "number"),
    "capitalize": _info(texts.do_capitalize),
    "contains": _info(texts.do_contains, what=REQUIRED),
    "count": _info(lists.do_length, "number"),
    "d": _info(lists.do_default, "default", default_value="", boolean=False),
    "default": _info(lists.do_default, "default", default_value="", boolean=False),
    "endswith": _info(texts.do_endswith, end=REQUIRED),
    "first": _info(lists.do_first, "item"),
    "flatten": _info(lists.do_flatten, "flat"),
    "float": _info(lists.do_float, "cast", default=0.0),
    "groupby": _info(lists.do_groupby, "groups", attribute=REQUIRED, default=None, case_sensitive=False),
    "int": _info(lists.do_int, "cast", default=0),
    "items": _info(lists.do_items, "pairs"),
    "join": _info(texts.do_join, d="", attribute=()),
    "keys": _info(lists.do_keys, "list"),
    "last": _info(lists.do_last, "item"),
    "length": _info(lists.do_length, "number"),
    "lines": _info(texts.do_lines),
    "list": _info(lists.do_list, "list"),
    "lower": _info(texts.do_lower),
    "max": _info(lists.do_max, "item", case_sensitive=False, attribute=()),
    "merge": _info(lists.do_merge, other=REQUIRED),
    "min": _info(lists.do_min, "item", case_sensitive=False, attribute=()),
    "regex_replace": _info(texts.do_regex_replace, pattern=REQUIRED, replacement=REQUIRED),
    "regex_search": _info(texts.do_regex_search, pattern=REQUIRED, group=0),
    "regex_test": _info(texts.do_regex_test, pattern=REQUIRED),
    "replace": _info(texts.do_replace, old=REQUIRED, new=REQUIRED, count=None),
    "reverse": _info(lists.do_reverse, "same"),
    "round": _info(lists.do_round, "number", precision=0, method="common"),
    "sort": _info(lists.do_sort, "same", reverse=False, case_sensitive=False, attribute=()),
    "split": _info(texts.do_split, separator=None),
    "startswith": _info(texts.do_startswith, start=REQUIRED),
    "string": _info(string),
    "sum": _info(lists.do_sum, "number", attribute=(), start=0),
    "title": _info(texts.do_title),
    "tojson": _info(texts.do_tojson),
    "trim": _info(texts.do_trim, chars=None),
    "truncate": _info(texts.do_truncate, length=255, killwords=False, end="..."),
    "unique": _info(lists.do_unique, "same", case_sensitive=False, attribute=()),
    "upper": _info(texts.do_upper),
    "values": _info(lists.do_values, "fields"),
    "without": _info(lists.do_without, keys=REQUIRED),
    "words": _info(texts.do_split, separator=None),
    # These five take a filter, a test or a field by name; calls.py builds them.
    "map": _info(lists.do_list, "list"),
    "reject": _info(lists.do_list, "same"),
    "rejectattr": _info(lists.do_list, "same"),
    "select": _info(lists.do_list, "same"),
    "selectattr": _info(lists.do_list, "same"),
}
"""Filter -> its version and how it works."""
