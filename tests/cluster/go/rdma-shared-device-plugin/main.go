// Reads configuration files as the shared RDMA device plugin does: texts come as a list of JSON, and what it made of each, or
// why it refuses it, goes out as one.
package main

import (
	"encoding/json"
	"io"
	"log"
	"os"

	"github.com/Mellanox/k8s-rdma-shared-dev-plugin/pkg/resources"
	"github.com/Mellanox/k8s-rdma-shared-dev-plugin/pkg/types"
)

type answer struct {
	Refused string                `json:"refused,omitempty"`
	Config  *types.UserConfigList `json:"config,omitempty"`
}

func main() {
	log.SetOutput(io.Discard)
	// The plugin's package speaks on the standard output too.
	out := os.Stdout
	os.Stdout = os.Stderr
	var texts []string
	if err := json.NewDecoder(os.Stdin).Decode(&texts); err != nil {
		panic(err)
	}
	answers := make([]answer, 0, len(texts))
	for _, text := range texts {
		answers = append(answers, read(text))
	}
	if err := json.NewEncoder(out).Encode(answers); err != nil {
		panic(err)
	}
}

func read(text string) answer {
	file, err := os.CreateTemp("", "config-*.json")
	if err != nil {
		panic(err)
	}
	defer os.Remove(file.Name())
	if _, err := file.WriteString(text); err != nil {
		panic(err)
	}
	file.Close()
	manager := resources.NewResourceManager(file.Name(), false)
	if err := manager.ReadConfig(); err != nil {
		return answer{Refused: err.Error()}
	}
	if err := manager.ValidateConfigs(); err != nil {
		return answer{Refused: err.Error()}
	}
	// The manager shows nobody what it read; it decodes the file into this type.
	config := &types.UserConfigList{}
	if err := json.Unmarshal([]byte(text), config); err != nil {
		panic(err)
	}
	return answer{Config: config}
}
