"""Has cdk8s imported as the command does: after what takes the place of jsii's own way to Node."""

import platform_def.constructs  # noqa: F401 - imported for that
