"""The JSON Schemas of nobubble's formats, made from the models that read them.

``python -m nobubble.schemas DIR`` writes them all to a folder.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class _Generator(GenerateJsonSchema):
    """Leaves out titles made up from the names of keys, and defaults that models do not state.

    Many defaults depend on other keys; those that do not are in ``json_schema_extra``.
    """

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Give no titles to keys."""
        return False

    def default_schema(self, schema: Any) -> dict[str, Any]:
        """Give the schema of a value that has a default in Python, without that default."""
        return self.generate_inner(schema["schema"])

    def decimal_schema(self, schema: Any) -> dict[str, Any]:
        """Give the schema of an exact number, which in JSON is any number."""
        return {"type": "number"}

    def union_schema(self, schema: Any) -> dict[str, Any]:
        """Give the schema of a choice; Python's several types of number are one in JSON."""
        result = super().union_schema(schema)
        numbers = ({"type": "integer"}, {"type": "number"})
        if all(option in numbers for option in result.get("anyOf", [result])):
            return {"type": "number"}
        return result


def schema_of(model: type[BaseModel], title: str, examples: list[dict[str, Any]]) -> dict[str, Any]:
    """Give the JSON Schema (draft 2020-12) of a model.

    Parameters
    ----------
    model : type
        The model of the whole document.
    title : str
        The name of the format.
    examples : list of dict
        Valid documents.
    """
    schema = model.model_json_schema(schema_generator=_Generator)
    for part in schema.get("$defs", {}).values():
        part.pop("title", None)
    return {"$schema": DIALECT, **schema, "title": title, "examples": examples}


def profile_schema() -> dict[str, Any]:
    """Give the JSON Schema of `nobubble.profile/1`.

    It says what keys there are and what stands under each. That lists have the right lengths
    and that memory adds up, only reading a profile tells.
    """
    from nobubble.profile.written import PROFILE_SCHEMA, WrittenProfile

    minimal: dict[str, Any] = {
        "schema": PROFILE_SCHEMA,
        "time_unit": "ms",
        "ranks": 4,
        "microbatches": 8,
        "stages": {"F": {"time": 10}, "B": {"time": 10}, "W": {"time": 8}},
    }
    measured: dict[str, Any] = {
        "schema": PROFILE_SCHEMA,
        "name": "gpt-6.2b-pp8",
        "time_unit": "ms",
        "memory_unit": "MiB",
        "ranks": 8,
        "microbatches": 24,
        "placement": "linear",
        "stages": [
            {
                "F": {"time": 29.718, "memory": 1240, "workspace": 80},
                "B": {"time": 29.444, "memory": -688},
                "W": {"time": 19.927, "memory": -552},
                "BW": {"time": 46.0},
            }
        ],
        "communication": 0.527,
        "memory_limit": 19840,
        "static_memory": 0,
        "objective": "makespan",
    }
    return schema_of(WrittenProfile, PROFILE_SCHEMA, [minimal, measured])


def schedule_schema() -> dict[str, Any]:
    """Give the JSON Schema of `nobubble.schedule/1`.

    It says what keys there are and what stands under each. Whether the schedule is one of its
    profile, the verifier tells.
    """
    from nobubble.schedule.document import SCHEMA, ScheduleDocument

    config = ConfigDict(strict=True, extra="forbid", use_attribute_docstrings=True)
    # A list takes a configuration, which a TypedDict alone does not.
    made = TypeAdapter(list[ScheduleDocument], config=config).json_schema(
        schema_generator=_Generator
    )
    definitions = made["$defs"]
    schema = definitions.pop(ScheduleDocument.__name__)
    profile = profile_schema()
    definitions |= profile["$defs"]
    definitions["Profile"] = {
        key: value
        for key, value in profile.items()
        if key not in ("$schema", "$defs", "title", "examples")
    }
    for part in definitions.values():
        part.pop("title", None)
    described = schema["properties"]["profile"]["description"]
    schema["properties"]["profile"] = {"$ref": "#/$defs/Profile", "description": described}
    return {"$schema": DIALECT, "$defs": definitions, **schema, "title": SCHEMA}


def run_schema() -> dict[str, Any]:
    """Give the JSON Schema of `nobubble.run/1`.

    It says what keys there are and what stands under each. Whether the run is one of a schedule,
    only reading it beside the schedule tells.
    """
    from nobubble.runs.document import SCHEMA, RunDocument

    # Actions that a reader does not know are passed over, whatever they say.
    config = ConfigDict(strict=True, use_attribute_docstrings=True)
    made = TypeAdapter(list[RunDocument], config=config).json_schema(schema_generator=_Generator)
    definitions = made["$defs"]
    schema = definitions.pop(RunDocument.__name__)
    for part in definitions.values():
        part.pop("title", None)
    return {"$schema": DIALECT, "$defs": definitions, **schema, "title": SCHEMA}


SCHEMAS: Final[dict[str, Callable[[], dict[str, Any]]]] = {
    "profile.schema.json": profile_schema,
    "schedule.schema.json": schedule_schema,
    "run.schema.json": run_schema,
}
"""What makes each of the committed files."""


def schema_text(schema: dict[str, Any]) -> str:
    """Give a schema as it stands in its file."""
    return json.dumps(schema, indent=2) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write every schema to the folder given on the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m nobubble.schemas", description="Write the JSON Schemas to a folder."
    )
    parser.add_argument("directory", type=Path, help="such as docs/schemas")
    directory: Path = parser.parse_args(arguments).directory
    directory.mkdir(parents=True, exist_ok=True)
    for name, make in SCHEMAS.items():
        (directory / name).write_text(schema_text(make()), encoding="utf-8")


if __name__ == "__main__":
    main()
