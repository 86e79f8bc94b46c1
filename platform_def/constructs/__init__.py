"""The thin skin over cdk8s that components are made of. Importing it points jsii at the pinned Node."""

import os
from importlib import import_module
from pathlib import Path
from threading import Thread

from platform_def.tools import node_path

os.environ.setdefault("JSII_NODE", str(node_path()))


def _keep_unpacked() -> None:
    """Let jsii keep cdk8s unpacked in the user's cache folder; it fails where it cannot, so there it must not try."""
    try:
        folder = Path.home() / ".cache" / "platform-def" / "jsii"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        folder = Path()
    if folder.name and os.access(folder, os.W_OK | os.X_OK):
        os.environ.setdefault("JSII_RUNTIME_PACKAGE_CACHE_ROOT", str(folder))
    else:
        os.environ.setdefault("JSII_RUNTIME_PACKAGE_CACHE", "disabled")


_keep_unpacked()


def prefetch() -> None:
    """Start Node in the background: most of the half second that importing cdk8s takes is waiting for it."""
    Thread(target=import_module, args=("cdk8s",), daemon=True).start()
