// Reads HAMi's files of devices as its programs do: texts come as a list of JSON, and what it made of each, in YAML, or why it
// refuses it, goes out as one. A key that it does not know is refused, which its programs pass over.
package main

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"

	"github.com/Project-HAMi/HAMi/pkg/scheduler/config"
	"gopkg.in/yaml.v2"
)

type answer struct {
	Refused string `json:"refused,omitempty"`
	Config  string `json:"config,omitempty"`
}

func read(path, text string) (string, error) {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
	if err := yaml.UnmarshalStrict([]byte(text), &config.Config{}); err != nil {
		return "", err
	}
	found, err := config.LoadConfig(path)
	if err != nil {
		return "", err
	}
	if err := config.InitDevicesWithConfig(found); err != nil {
		return "", err
	}
	held, err := yaml.Marshal(found)
	return string(held), err
}

func main() {
	var texts []string
	if err := json.NewDecoder(os.Stdin).Decode(&texts); err != nil {
		log.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "hami-reader-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	answers := make([]answer, 0, len(texts))
	for _, text := range texts {
		held, err := read(filepath.Join(folder, "device-config.yaml"), text)
		if err != nil {
			answers = append(answers, answer{Refused: err.Error()})
		} else {
			answers = append(answers, answer{Config: held})
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		log.Fatal(err)
	}
}
