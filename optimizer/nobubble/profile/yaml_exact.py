"""YAML with exact decimals: the core schema of YAML 1.2, without duplicate keys.

PyYAML's own SafeLoader follows YAML 1.1, where ``010`` is 8, ``1:30`` is 90, ``no`` is false and
``1e3`` is text.
"""

from __future__ import annotations

import re
from decimal import Decimal

import yaml
from yaml.constructor import ConstructorError

from nobubble.profile.rounding import exact_decimal

_PREFIX = "tag:yaml.org,2002:"


class ExactLoader(yaml.SafeLoader):
    """Reads text, numbers, booleans, null, lists and objects, and nothing else."""


# PyYAML would otherwise copy what SafeLoader knows.
ExactLoader.yaml_implicit_resolvers = {}
ExactLoader.yaml_constructors = {}


def _scalar(loader: ExactLoader, node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise ConstructorError(None, None, f"{node.tag} needs a plain value", node.start_mark)
    return str(loader.construct_scalar(node))


def _mapping(loader: ExactLoader, node: yaml.Node) -> dict[str, object]:
    if not isinstance(node, yaml.MappingNode):
        raise ConstructorError(None, None, f"{node.tag} needs an object", node.start_mark)
    result: dict[str, object] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, str):
            raise ConstructorError(None, None, "a key must be text", key_node.start_mark)
        if key in result:
            problem = f'the key "{key}" stands twice in one object'
            raise ConstructorError(None, None, problem, key_node.start_mark)
        result[key] = loader.construct_object(value_node, deep=True)
    return result


def _sequence(loader: ExactLoader, node: yaml.Node) -> list[object]:
    if not isinstance(node, yaml.SequenceNode):
        raise ConstructorError(None, None, f"{node.tag} needs a list", node.start_mark)
    return loader.construct_sequence(node, deep=True)


def _number(loader: ExactLoader, node: yaml.Node) -> int | Decimal:
    text = _scalar(loader, node)
    if _INT.match(text):
        # A very long int stays a Decimal: Python refuses to convert more than 4300 digits.
        return int(text) if len(text) < _LONG else Decimal(text)
    if _FLOAT.match(text):
        return exact_decimal(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
    raise ConstructorError(None, None, f'"{text}" is not a number', node.start_mark)


def _boolean(loader: ExactLoader, node: yaml.Node) -> bool:
    text = _scalar(loader, node)
    if not _BOOL.match(text):
        raise ConstructorError(None, None, f'"{text}" is not true or false', node.start_mark)
    return text.lower() == "true"


def _null(loader: ExactLoader, node: yaml.Node) -> None:
    _scalar(loader, node)


def _unknown(loader: ExactLoader, node: yaml.Node) -> None:
    raise ConstructorError(None, None, f"the tag {node.tag} is not known", node.start_mark)


_LONG = 100
_NULL = re.compile(r"^(?:~|null|Null|NULL|)$")
_BOOL = re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$")
_INT = re.compile(r"^[-+]?[0-9]+$")
_FLOAT = re.compile(
    r"^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
)

for _tag, _pattern, _first in (
    ("null", _NULL, ["~", "n", "N", ""]),
    ("bool", _BOOL, list("tTfF")),
    ("int", _INT, list("-+0123456789")),
    ("float", _FLOAT, list("-+.0123456789")),
):
    ExactLoader.add_implicit_resolver(_PREFIX + _tag, _pattern, _first)

for _tag, _constructor in (
    ("str", _scalar),
    ("map", _mapping),
    ("seq", _sequence),
    ("int", _number),
    ("float", _number),
    ("bool", _boolean),
    ("null", _null),
):
    ExactLoader.add_constructor(_PREFIX + _tag, _constructor)
ExactLoader.add_constructor(None, _unknown)


def load(text: str) -> object:
    """Read the one document of a YAML text.

    Raises
    ------
    yaml.YAMLError
        The text is no YAML, has more than one document, a key twice in one object, or a tag that
        JSON has no counterpart for.
    """
    return yaml.load(text, Loader=ExactLoader)
