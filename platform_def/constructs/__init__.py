"""The thin skin over cdk8s that components are made of. Importing it points jsii at the pinned Node."""

import os
from importlib import import_module
from threading import Thread

from platform_def.tools import node_path

os.environ.setdefault("JSII_NODE", str(node_path()))


def prefetch() -> None:
    """Start Node in the background: most of the half second that importing cdk8s takes is waiting for it."""
    Thread(target=import_module, args=("cdk8s",), daemon=True).start()
