// Reads files of MIG layouts as mig-parted does: texts come as a list of JSON, and what it made of each, or why it refuses it,
// goes out as one.
package main

import (
	"encoding/json"
	"log"
	"os"

	spec "github.com/NVIDIA/mig-parted/api/spec/v1"
	"sigs.k8s.io/yaml"
)

type answer struct {
	Refused string     `json:"refused,omitempty"`
	Config  *spec.Spec `json:"config,omitempty"`
}

func main() {
	var texts []string
	if err := json.NewDecoder(os.Stdin).Decode(&texts); err != nil {
		log.Fatal(err)
	}
	answers := make([]answer, 0, len(texts))
	for _, text := range texts {
		config := &spec.Spec{}
		if err := yaml.Unmarshal([]byte(text), config); err != nil {
			answers = append(answers, answer{Refused: err.Error()})
		} else {
			answers = append(answers, answer{Config: config})
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		log.Fatal(err)
	}
}
