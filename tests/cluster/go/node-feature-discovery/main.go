// Reads configuration files as node feature discovery's programs do: texts come as a list of JSON, with the program that each
// is for, and what it made of each, or why it refuses it, goes out as one; for a worker with the labels that its rules give.
package main

import (
	"encoding/json"
	"log"
	"os"

	master "sigs.k8s.io/node-feature-discovery/pkg/nfd-master"
	updater "sigs.k8s.io/node-feature-discovery/pkg/nfd-topology-updater"
	worker "sigs.k8s.io/node-feature-discovery/pkg/nfd-worker"
	"sigs.k8s.io/node-feature-discovery/source"
	_ "sigs.k8s.io/node-feature-discovery/source/custom"
	"sigs.k8s.io/yaml"
)

type question struct {
	Program string `json:"program"`
	Text    string `json:"text"`
}

type answer struct {
	Refused string            `json:"refused,omitempty"`
	Config  any               `json:"config,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
}

func main() {
	var questions []question
	if err := json.NewDecoder(os.Stdin).Decode(&questions); err != nil {
		log.Fatal(err)
	}
	answers := make([]answer, 0, len(questions))
	for _, asked := range questions {
		answers = append(answers, read(asked))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		log.Fatal(err)
	}
}

func read(asked question) answer {
	switch asked.Program {
	case "nfd-worker":
		return readWorker(asked.Text)
	case "nfd-master":
		config := &master.NFDConfig{}
		return answered(config, yaml.Unmarshal([]byte(asked.Text), config))
	case "nfd-topology-updater":
		config := &updater.NFDConfig{}
		return answered(config, yaml.Unmarshal([]byte(asked.Text), config))
	}
	return answer{Refused: "no program " + asked.Program}
}

func answered(config any, err error) answer {
	if err != nil {
		return answer{Refused: err.Error()}
	}
	return answer{Config: config}
}

// readWorker configures the worker's sources as the worker does, and asks the one of custom rules for its labels.
func readWorker(text string) answer {
	config := &worker.NFDConfig{Sources: map[string]source.Config{}}
	configurable := source.GetAllConfigurableSources()
	for _, each := range configurable {
		config.Sources[each.Name()] = each.NewConfig()
	}
	if err := yaml.Unmarshal([]byte(text), config); err != nil {
		return answer{Refused: err.Error()}
	}
	for _, each := range configurable {
		each.SetConfig(config.Sources[each.Name()])
	}
	labels, err := source.GetLabelSource("custom").GetLabels()
	if err != nil {
		return answer{Refused: err.Error()}
	}
	found := map[string]string{}
	for name, value := range labels {
		found[name] = value.(string)
	}
	return answer{Config: config, Labels: found}
}
