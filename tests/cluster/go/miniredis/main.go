// Package main is miniredis as a program: what Argo CD keeps for an hour, in memory, behind a password where one is set.
package main

import (
	"log"
	"os"

	"github.com/alicebob/miniredis/v2"
)

func main() {
	server := miniredis.NewMiniRedis()
	if password := os.Getenv("REDIS_PASSWORD"); password != "" {
		server.RequireAuth(password)
	}
	if err := server.StartAddr(os.Args[1]); err != nil {
		log.Fatal(err)
	}
	select {}
}
