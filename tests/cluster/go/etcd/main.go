// Package main is etcd itself: its root module has local replaces, so it cannot be installed by name.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
