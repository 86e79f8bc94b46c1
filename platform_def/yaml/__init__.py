"""The YAML edge: nothing else reads or writes YAML, and a scalar means what kubectl's reader, sigs.k8s.io/yaml, makes
of it.

parse   a stack file: one document with line numbers, strict, bounded; every problem with file and line
load    manifests: plain data, as the cluster would see it; duplicate keys are refused
load_each  the same, one document at a time, each with its lines; what is wrong with one hides no other
dump    plain data to text that PyYAML, kubectl and YAML 1.2 readers all read back the same; same data, same bytes
"""

from platform_def.yaml.each import Document, load_each
from platform_def.yaml.emitter import dump, dump_all
from platform_def.yaml.errors import UnwritableError, YamlError
from platform_def.yaml.nodes import JsonValue, Node
from platform_def.yaml.reader import load, load_all, parse

__all__ = [
    "Document",
    "JsonValue",
    "Node",
    "UnwritableError",
    "YamlError",
    "dump",
    "dump_all",
    "load",
    "load_all",
    "load_each",
    "parse",
]
