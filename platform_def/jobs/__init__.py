"""Training job templates: typed parameters in, one training job out. `templates.py` lists them."""

import platform_def.constructs  # noqa: F401 - points jsii at the pinned Node, before anything here imports constructs
