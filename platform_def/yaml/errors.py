"""What goes wrong at the YAML edge: text of the user's that cannot be read, data of ours that cannot be written."""

from __future__ import annotations

from platform_def.errors import ConfigError


class YamlError(ConfigError):
    """The text is not YAML as Kubernetes reads it; every problem carries file and line."""


class UnwritableError(ValueError):
    """A value has no exact YAML form that every reader shares; the message names its path and why."""
