"""Which statements an agent may run: duckdb's own parse tree is walked, no text is matched."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

_ROW_MAKERS = frozenset({"unnest", "range", "generate_series", "json_each"})
"""Functions that may stand behind FROM: they make their rows one at a time, or read a value."""
_SIZED = frozenset({"range", "generate_series", "repeat", "lpad", "rpad", "list_resize", "array_resize", "printf", "format", "bar", "bitstring"})
"""Functions of a value that make a large one from a small number: neither duckdb's memory limit nor its interrupt reaches them."""
_UNSTEADY = frozenset(
    {
        *("now", "today", "current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "current_localtime", "current_localtimestamp"),
        *("get_current_time", "get_current_timestamp", "transaction_timestamp", "current_setting", "current_connection_id", "current_query_id"),
        *("current_transaction_id", "txid_current", "getvariable", "getenv", "currval", "nextval", "setval", "setseed", "sleep_ms", "write_log", "stats"),
        *("ago", "current_query", "current_user", "session_user", "user"),
    }
)
"""Functions whose value is not decided by the rows: the clock, settings, counters. Those that duckdb itself calls volatile are added by the caller."""


def refusal(tree: Any, tables: Container[str], volatile: Container[str], columns: Container[str] = ()) -> str:
    """Why the statements of a serialised parse tree may not run, in words for the agent; empty where they may.

    `tables`: names that may be read, lower case. `volatile`: functions that duckdb calls volatile.
    `columns`: names that a table has a column of, lower case, and that so are no function without ().
    """
    nodes = list(_nodes(tree))
    known = {name.lower() for node in nodes for name in _named(node)}
    for node in nodes:
        kind = node.get("type")
        if kind == "BASE_TABLE":
            name = str(node.get("table_name", ""))
            if _qualified(node) or (name.lower() not in known and name.lower() not in tables):
                return f"there is no table {_path(node)}"
        elif kind == "TABLE_FUNCTION":
            function = str((node.get("function") or {}).get("function_name", "")).lower()
            if function not in _ROW_MAKERS or _qualified(node["function"]):
                return f"{function or 'this'} may not stand behind FROM"
        elif kind == "SHOW_REF":
            return "SHOW and DESCRIBE are not answered"
        if node.get("sample") is not None:
            return "samples are not drawn"
        function = str(node.get("function_name") or "").lower()
        if (
            function in _UNSTEADY
            or function in volatile
            or function.startswith(("pg_", "duckdb_"))
            or (function == "age" and len(node.get("arguments") or node.get("children") or ()) == 1)
        ):
            return f"{function}() is not possible here: a result depends on the rows alone"
        if function in _SIZED and not node.get("_behind_from"):
            return f"{function}() is not possible here" + (": write it behind FROM" if function in _ROW_MAKERS else "")
        names = node.get("column_names")
        bare = str(names[0]).lower() if kind == "COLUMN_REF" and isinstance(names, list) and len(names) == 1 else ""
        if bare in _UNSTEADY and bare not in columns:
            return f"{bare} is not possible here: a result depends on the rows alone"
    return ""


def _nodes(tree: Any) -> Iterable[dict[str, Any]]:
    """All objects of the tree."""
    stack = [tree]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            if one.get("type") == "TABLE_FUNCTION" and isinstance(one.get("function"), dict):
                one = {**one, "function": {**one["function"], "_behind_from": True}}
            yield one
            stack.extend(one.values())
        elif isinstance(one, list):
            stack.extend(one)


def _named(node: dict[str, Any]) -> Iterable[str]:
    """Names that a node gives to queries of its own (WITH)."""
    entries = node.get("map") if isinstance(node.get("map"), list) else []
    yield from (str(entry.get("key", "")) for entry in entries or [] if isinstance(entry, dict))
    for key in ("cte_name", "ctename"):
        if isinstance(node.get(key), str):
            yield node[key]


def _path(node: dict[str, Any]) -> str:
    parts = (node.get("catalog_name"), node.get("schema_name"), node.get("table_name"))
    return ".".join(str(part) for part in parts if part) or "of this name"


def _qualified(node: dict[str, Any]) -> bool:
    path = (node.get("qualified_name") or {}).get("path")
    return any(node.get(key) for key in ("catalog_name", "schema_name", "catalog", "schema")) or (isinstance(path, list) and len(path) > 1)
