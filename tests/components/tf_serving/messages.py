"""Messages of TensorFlow Serving's files, field by field as sheet and protocol of 2.20 name them, in our own form."""

from __future__ import annotations

from typing import Any

from google.protobuf import text_format
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.json_format import MessageToDict
from google.protobuf.message_factory import GetMessageClass

FIELDS: dict[str, dict[str, str]] = {
    "ModelServerConfig": {"model_config_list": "ModelConfigList"},
    "ModelConfigList": {"config": "*ModelConfig"},
    "ModelConfig": {
        "name": "string",
        "base_path": "string",
        "model_platform": "string",
        "model_version_policy": "Policy",
        "version_labels": "*Label",
    },
    "Policy": {"latest": "Latest", "all": "All", "specific": "Specific"},
    "Latest": {"num_versions": "int64"},
    "All": {},
    "Specific": {"versions": "*int64"},
    "Label": {"key": "string", "value": "int64"},
    "MonitoringConfig": {"prometheus_config": "PrometheusConfig"},
    "PrometheusConfig": {"enable": "bool", "path": "string"},
    "BatchingParameters": {
        "max_batch_size": "Number",
        "batch_timeout_micros": "Number",
        "max_enqueued_batches": "Number",
        "num_batch_threads": "Number",
        "allowed_batch_sizes": "*int64",
    },
    "Number": {"value": "int64"},
}
_SCALARS = {
    "string": FieldDescriptorProto.TYPE_STRING,
    "int64": FieldDescriptorProto.TYPE_INT64,
    "bool": FieldDescriptorProto.TYPE_BOOL,
}


def parsed(message: str, text: str) -> dict[str, Any]:
    """What a file says; ParseError where a field is not the message's, or is no text of protocol buffers."""
    pool = DescriptorPool()
    pool.Add(FileDescriptorProto(name="files.proto", message_type=[*map(_message, FIELDS)], syntax="proto3"))
    made = GetMessageClass(pool.FindMessageTypeByName(message))()
    text_format.Parse(text, made)
    found: dict[str, Any] = MessageToDict(made, preserving_proto_field_name=True)
    return found


def _message(name: str) -> DescriptorProto:
    return DescriptorProto(
        name=name, field=[_field(number, *each) for number, each in enumerate(FIELDS[name].items(), start=1)]
    )


def _field(number: int, name: str, kind: str) -> FieldDescriptorProto:
    bare = kind.removeprefix("*")
    many = FieldDescriptorProto.LABEL_REPEATED if kind != bare else FieldDescriptorProto.LABEL_OPTIONAL
    field = FieldDescriptorProto(name=name, number=number, label=many)
    if bare in _SCALARS:
        field.type = _SCALARS[bare]
    else:
        field.type, field.type_name = FieldDescriptorProto.TYPE_MESSAGE, f".{bare}"
    return field
