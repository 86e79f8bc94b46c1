// The program of the pods that answer challenges of ACME over HTTP: upstream's own server, with the flags that
// cert-manager gives it. Upstream's program around it is a module of its own that nothing else builds.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/cert-manager/cert-manager/pkg/issuer/acme/http/solver"
	logf "github.com/cert-manager/cert-manager/pkg/logs"
)

func main() {
	answers := &solver.HTTP01Solver{}
	flag.IntVar(&answers.ListenPort, "listen-port", 8089, "port")
	flag.StringVar(&answers.Domain, "domain", "", "host that is asked about")
	flag.StringVar(&answers.Token, "token", "", "last part of the path")
	flag.StringVar(&answers.Key, "key", "", "answer")
	flag.Parse()
	logf.InitLogs()
	defer logf.FlushLogs()
	if err := answers.Listen(logf.Log); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
