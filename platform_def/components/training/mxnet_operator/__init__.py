"""MXNet operator 1.1: runs MXJob objects, as Kubeflow did before its training operator; legacy, archived upstream."""
