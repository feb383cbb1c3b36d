"""Names in a tree put by what they stand for, without one being caught by an index of the tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

from engine.formula.tree import Binder, Cell, Name, Node, Places, Reduce, children

_FRESH = tuple("pqmnrsuvabcdgt")


def free(node: Node) -> frozenset[str]:
    """The names in `node` that none of its own indices binds."""
    if isinstance(node, Name):
        return frozenset((node.name,))
    found = frozenset(name for child in children(node) for name in free(child))
    if isinstance(node, Cell):
        return found | {node.array}
    return found - {*node.names} if isinstance(node, Reduce | Places) else found


def substituted(node: Node, by: Mapping[str, Node]) -> Node:
    """`node` with `by` in place of its free names."""
    if isinstance(node, Name):
        return by.get(node.name, node)
    if isinstance(node, Reduce | Places):
        names = node.names
        taken = frozenset(name for key, value in by.items() for name in free(value))
        clash = [name for name in names if name in taken]
        if clash:
            used = taken | free(node) | {*names}
            fresh = iter([letter for letter in _FRESH if letter not in used])
            node = _renamed(node, {name: next(fresh) for name in clash})
        by = {key: value for key, value in by.items() if key not in node.names}
    return mapped(node, lambda part: substituted(part, by))


def _renamed(node: Reduce | Places, to: Mapping[str, str]) -> Reduce | Places:
    by: dict[str, Node] = {old: Name(new) for old, new in to.items()}
    inner = cast("Reduce | Places", mapped(node, lambda part: substituted(part, by)))
    if isinstance(inner, Places):
        return replace(inner, names=tuple(to.get(name, name) for name in inner.names))
    binders = tuple(
        replace(one, names=tuple(to.get(name, name) for name in one.names)) for one in inner.binders
    )
    return replace(inner, binders=binders)


def mapped(node: Node, change: Any) -> Node:
    """`node` with its direct parts changed."""
    changed = {
        part.name: value
        for part in fields(node)
        if (value := _changed(getattr(node, part.name), change)) is not None
    }
    return cast("Node", replace(cast("Any", node), **changed)) if changed else node


def _changed(value: object, change: Any) -> object:
    """A field with its nodes changed; None where it holds none."""
    if isinstance(value, Binder):
        return value if value.domain is None else replace(value, domain=change(value.domain))
    if is_dataclass(value):
        return cast("object", change(value))
    if isinstance(value, tuple) and value and not isinstance(value[0], str):
        return tuple(_changed(part, change) for part in value)
    return None
