package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
)

const account = "/var/run/secrets/kubernetes.io/serviceaccount/"

// Kubernetes is the cluster, as the account of this pod sees it.
type Kubernetes struct {
	client         *http.Client
	address, token string
}

func ownCluster() (*Kubernetes, error) {
	authority, err := os.ReadFile(account + "ca.crt")
	if err != nil {
		return nil, err
	}
	token, err := os.ReadFile(account + "token")
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	host := net.JoinHostPort(os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT"))
	return &Kubernetes{&http.Client{Transport: transport}, "https://" + host, strings.TrimSpace(string(token))}, nil
}

// review is `IsAuthorized`, backend/src/apiserver/resource/resource_manager.go:2612, with the words of common/const.go:19.
func (k *Kubernetes) review(ctx context.Context, person, verb, namespace string) (bool, error) {
	asked := map[string]string{
		"group": "pipelines.kubeflow.org", "version": "v1beta1", "resource": "runs", "verb": verb, "namespace": namespace,
	}
	body := map[string]any{
		"apiVersion": "authorization.k8s.io/v1",
		"kind":       "SubjectAccessReview",
		"spec":       map[string]any{"user": person, "resourceAttributes": asked},
	}
	var found struct{ Status struct{ Allowed bool } }
	err := k.post(ctx, "/apis/authorization.k8s.io/v1/subjectaccessreviews", body, &found)
	return found.Status.Allowed, err
}

// createWorkflow is resource_manager.go:735.
func (k *Kubernetes) createWorkflow(ctx context.Context, namespace, name, runner string) error {
	step := map[string]any{"name": "main", "container": map[string]any{"image": "tools", "command": []string{"true"}}}
	body := map[string]any{
		"apiVersion": "argoproj.io/v1alpha1",
		"kind":       "Workflow",
		"metadata":   map[string]any{"name": name, "namespace": namespace},
		"spec":       map[string]any{"entrypoint": "main", "serviceAccountName": runner, "templates": []any{step}},
	}
	var found map[string]any
	return k.post(ctx, "/apis/argoproj.io/v1alpha1/namespaces/"+namespace+"/workflows", body, &found)
}

func (k *Kubernetes) post(ctx context.Context, path string, body, found any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, k.address+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+k.token)
	request.Header.Set("Content-Type", "application/json")
	reply, err := k.client.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	said, err := io.ReadAll(reply.Body)
	if err != nil {
		return err
	}
	if reply.StatusCode != http.StatusCreated {
		return fmt.Errorf("%s: %s: %s", path, reply.Status, said)
	}
	return json.Unmarshal(said, found)
}
