// Package main is an OCI registry in memory, by HTTPS, for whoever has its password: ADDRESS CERTIFICATE KEY, and the
// user and the password as one line (`user:password`) in the file that the last argument names.
package main

import (
	"crypto/subtle"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/registry"
)

func main() {
	said, err := os.ReadFile(os.Args[4])
	if err != nil {
		log.Fatal(err)
	}
	wanted := []byte(strings.TrimSpace(string(said)))
	store := registry.New()
	guarded := http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		user, password, _ := request.BasicAuth()
		if subtle.ConstantTimeCompare([]byte(user+":"+password), wanted) != 1 {
			answer.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
			answer.WriteHeader(http.StatusUnauthorized)
			return
		}
		store.ServeHTTP(answer, request)
	})
	log.Fatal(http.ListenAndServeTLS(os.Args[1], os.Args[2], os.Args[3], guarded))
}
