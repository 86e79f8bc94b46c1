"""Reads a `ModelServerConfig` from standard input by TensorFlow Serving's own types, and prints it as JSON."""

import sys

from google.protobuf import json_format, text_format
from tensorflow_serving.config import model_server_config_pb2

read = text_format.Parse(sys.stdin.read(), model_server_config_pb2.ModelServerConfig())
print(json_format.MessageToJson(read, preserving_proto_field_name=True))
