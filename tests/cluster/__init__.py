"""Tests against a real etcd and kube-apiserver, built from the Go modules pinned under `go/`."""
