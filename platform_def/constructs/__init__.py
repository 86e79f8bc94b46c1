"""The thin skin over cdk8s that components are made of. Importing it has jsii start the pinned Node, and in our way."""

from platform_def.constructs.node import take_over

take_over()
