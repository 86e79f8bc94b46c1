"""A kubelet for tests: pods that are bound to nodes run as processes of this machine, each in a network of its own."""
