# SPDX-License-Identifier: Apache-2.0
"""JSON that the program prints, against the schemas of schemas/."""
import json
import os

import jsonschema

SCHEMAS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "schemas")


def no_constant(word):
    raise ValueError(f"{word} is not JSON")


def members(pairs):
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("a member is given twice")
    return document


def read_json(text):
    """The document; ValueError for what only Python takes for JSON, and for a duplicate member."""
    return json.loads(text, parse_constant=no_constant, object_pairs_hook=members)


def schema_path(name):
    return os.path.join(SCHEMAS, name + ".schema.json")


def has_schema(name):
    return os.path.exists(schema_path(name))


def check_document(name, document):
    """How a document violates schemas/NAME.schema.json, '' if it does not."""
    with open(schema_path(name), encoding="utf-8") as file:
        schema = json.load(file)
    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(document))
    return "; ".join(f"{list(e.path)}: {e.message[:200]}" for e in errors[:3])


def check_schema(name, text):
    """The same of a text."""
    try:
        document = read_json(text)
    except ValueError as error:
        return f"not JSON: {error}"
    return check_document(name, document)
