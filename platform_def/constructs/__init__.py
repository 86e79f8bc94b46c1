"""The thin skin over cdk8s that components are made of. Importing it points jsii at the pinned Node."""

import os

from platform_def.tools import node_path

os.environ.setdefault("JSII_NODE", str(node_path()))
