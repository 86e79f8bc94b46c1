// A stand-in for the API server of Kubeflow Pipelines 2.17.0, which no package registry carries: it reads the server's
// configuration as the server does, and makes its calls of SQL, of the object store and of Kubernetes, with the libraries of
// the server at the versions of its go.mod. Files and lines are those of kubeflow/pipelines at tag 2.17.0.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"strings"
	"time"
)

// patience is shorter than the server's own `InitConnectionTimeout`: a container that ends is started again.
const patience = 20 * time.Second

type server struct {
	configuration Configuration
	database      Database
	store         Store
	kubernetes    *Kubernetes
}

func main() {
	folder := flag.String("config", "", "Folder of config.json")
	only := flag.Bool("only-database", false, "End when the database is open; no flag of the server's")
	for _, name := range []string{"sampleconfig", "logLevel", "webhookTLSCertPath", "webhookTLSKeyPath"} {
		flag.String(name, "", "A flag of the server's that means nothing here")
	}
	flag.Bool("logtostderr", false, "A flag of the server's that means nothing here")
	flag.Bool("pipelinesStoreKubernetes", false, "A flag of the server's that means nothing here")
	flag.Parse()
	configuration, err := readConfiguration(*folder)
	if err != nil {
		log.Fatalf("Failed to initialize config: %v", err)
	}
	made := server{configuration: configuration}
	if made.database, err = openDatabase(configuration); err != nil {
		log.Fatalf("Failed to initialize the database: %v", err)
	}
	if err = made.database.begin(); err != nil {
		log.Fatalf("Failed to load samples. Err: %v", err)
	}
	if *only {
		return
	}
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	if made.store, err = openStore(ctx, configuration); err != nil {
		log.Fatalf("Failed to open blob storage bucket: %v", err)
	}
	if made.kubernetes, err = ownCluster(); err != nil {
		log.Fatalf("Failed to create a client of Kubernetes: %v", err)
	}
	log.Fatal(http.ListenAndServe(":8888", made.routes()))
}

func (s server) routes() http.Handler {
	routes := http.NewServeMux()
	routes.HandleFunc("GET /apis/v1beta1/healthz", func(w http.ResponseWriter, _ *http.Request) { answer(w, "{}", nil) })
	routes.HandleFunc("POST /apis/v2beta1/experiments/{id}", s.experiment)
	routes.HandleFunc("POST /apis/v2beta1/pipelines/{id}", s.pipeline)
	routes.HandleFunc("GET /apis/v2beta1/pipelines/{id}", s.readPipeline)
	routes.HandleFunc("POST /apis/v2beta1/runs/{id}", s.createRun)
	routes.HandleFunc("GET /apis/v2beta1/runs/{id}", s.readRun)
	routes.HandleFunc("GET /apis/v2beta1/runs/{id}/artifact", s.readArtifact)
	return routes
}

// refused is said where the answer of a review is no.
type refused struct{ person, verb, namespace string }

func (r refused) Error() string {
	return fmt.Sprintf("%s may not %s runs of %s", r.person, r.verb, r.namespace)
}

// person is who the gateway says that the caller is: backend/src/apiserver/auth/http_header.go:39.
func (s server) person(r *http.Request) string {
	name := r.Header.Get(s.configuration.Text("KUBEFLOW_USERID_HEADER", "x-goog-authenticated-user-email"))
	return strings.TrimPrefix(name, s.configuration.Text("KUBEFLOW_USERID_PREFIX", "accounts.google.com:"))
}

func (s server) may(r *http.Request, verb, namespace string) error {
	if !s.configuration.Is("MULTIUSER") {
		return nil
	}
	allowed, err := s.kubernetes.review(r.Context(), s.person(r), verb, namespace)
	if err == nil && !allowed {
		return refused{s.person(r), verb, namespace}
	}
	return err
}

func (s server) experiment(w http.ResponseWriter, r *http.Request) {
	made, err := s.database.createExperiment(r.PathValue("id"), r.URL.Query().Get("namespace"))
	answer(w, map[string]bool{"made": made}, err)
}

// The text of a version is in the database; that of older ones in the store, where the server reads it still
// (resource/resource_manager.go:1957 and 1966).
func (s server) pipeline(w http.ResponseWriter, r *http.Request) {
	id, text := r.PathValue("id"), r.URL.Query().Get("text")
	err := s.database.createPipeline(id, r.URL.Query().Get("namespace"), "")
	if err == nil {
		err = s.store.write(r.Context(), s.store.key(id), text)
	}
	answer(w, s.store.key(id), err)
}

func (s server) readPipeline(w http.ResponseWriter, r *http.Request) {
	text, err := s.store.read(r.Context(), s.store.key(r.PathValue("id")))
	answer(w, text, err)
}

// A run and its Workflow: server/run_server.go:153, resource/resource_manager.go:735. `artifact` is where the executor has put
// what the run left.
func (s server) createRun(w http.ResponseWriter, r *http.Request) {
	id, namespace := r.PathValue("id"), r.URL.Query().Get("namespace")
	err := s.may(r, "create", namespace)
	if err == nil {
		account := s.configuration.Text("DefaultPipelineRunnerServiceAccount", "pipeline-runner")
		err = s.kubernetes.createWorkflow(r.Context(), namespace, id, account)
	}
	if err == nil {
		err = s.database.createRun(id, namespace, r.URL.Query().Get("artifact"), 20)
	}
	answer(w, id, err)
}

func (s server) readRun(w http.ResponseWriter, r *http.Request) {
	_, namespace, text, err := s.database.run(r.PathValue("id"))
	if err == nil {
		err = s.may(r, "get", namespace)
	}
	var tasks []string
	if err == nil {
		err = json.Unmarshal([]byte(text), &tasks) // as storage/run_store.go:485 does
	}
	answer(w, map[string]int{"tasks": len(tasks), "characters": len(text)}, err)
}

// server/run_artifact_server.go:48 to 103: the run's namespace is asked about, and the store with the server's own key.
func (s server) readArtifact(w http.ResponseWriter, r *http.Request) {
	key, namespace, _, err := s.database.run(r.PathValue("id"))
	if err == nil {
		err = s.may(r, "readArtifact", namespace)
	}
	text := ""
	if err == nil {
		text, err = s.store.read(r.Context(), key)
	}
	answer(w, text, err)
}

func answer(w http.ResponseWriter, said any, err error) {
	var no refused
	switch {
	case errors.As(err, &no):
		w.WriteHeader(http.StatusForbidden)
		said = err.Error()
	case err != nil:
		log.Print(err)
		w.WriteHeader(http.StatusInternalServerError)
		said = err.Error()
	}
	if err := json.NewEncoder(w).Encode(said); err != nil {
		log.Print(err)
	}
}
