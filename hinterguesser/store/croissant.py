"""Croissant metadata of a release: the same facts as its card, for machines (mlcommons.org/croissant/1.0)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hinterguesser.store.configs import REJECTED, data_file
from hinterguesser.store.rows import dialogue_schema, rejected_schema

if TYPE_CHECKING:
    import pyarrow as pa

_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def describe(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """The release of `provenance` as Croissant JSON-LD: a file and a record set for each split of each config."""
    parts = [(config, split) for config, held in provenance["configs"].items() for split in held["splits"]]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": "hints-and-guesses",
        "description": "Dialogues of hints and guesses, for studying how sure a language model is, turn by turn.",
        "license": provenance["licence"],
        "citeAs": "arXiv:2601.02179",
        "version": provenance["version"],
        "keywords": ["confidence", "calibration", "multi-turn"],
        "distribution": [_file(provenance, config, split) for config, split in parts],
        "recordSet": [_records(config, split) for config, split in parts],
    }


def _file(provenance: Mapping[str, Any], config: str, split: str) -> dict[str, Any]:
    path = data_file(config, split)
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": f"{config}-{split}",
        "description": f"Rows of {config}, split {split}; licence: {provenance['configs'][config]['licence']}.",
        "contentUrl": path,
        "encodingFormat": "application/x-parquet",
        "sha256": provenance["sha256"][path],
    }


def _records(config: str, split: str) -> dict[str, Any]:
    schema = rejected_schema() if config.endswith(REJECTED) else dialogue_schema()
    held = "filtered out, with the reason" if config.endswith(REJECTED) else "kept"
    return {
        "@type": "cr:RecordSet",
        "@id": f"{config}/{split}",
        "name": f"{config}-{split}",
        "description": f"One record a dialogue that was {held}.",
        "key": {"@id": f"{config}/{split}/id"},
        "field": [_field(f"{config}/{split}", column, data_file(config, split), (column.name,)) for column in schema],
    }


def _field(parent: str, column: "pa.Field", file: str, path: tuple[str, ...]) -> dict[str, Any]:
    """One field; `path` leads to it from its column."""
    import pyarrow as pa

    kind = column.type
    described: dict[str, Any] = {"@type": "cr:Field", "@id": f"{parent}/{column.name}", "name": column.name}
    if pa.types.is_list(kind):
        described["repeated"] = True
        kind = kind.value_type
    if pa.types.is_struct(kind):
        inner = (kind.field(index) for index in range(kind.num_fields))
        described["subField"] = [_field(described["@id"], field, file, (*path, field.name)) for field in inner]
    else:
        described["dataType"] = _data_type(kind)
    source: dict[str, Any] = {"fileObject": {"@id": file}, "extract": {"column": path[0]}}
    if len(path) > 1:
        source["transform"] = {"jsonPath": ".".join(path[1:])}
    return described | {"source": source}


def _data_type(kind: "pa.DataType") -> str:
    import pyarrow as pa

    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
