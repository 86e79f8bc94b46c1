// Reads configuration files as NVIDIA's device plugin does: texts come as a list of JSON, and what it made of each, or why it
// refuses it, goes out as one. Its program itself needs NVML, which its package of configuration does not.
package main

import (
	"encoding/json"
	"log"
	"os"

	spec "github.com/NVIDIA/k8s-device-plugin/api/config/v1"
	"github.com/urfave/cli/v2"
)

type answer struct {
	Refused  string       `json:"refused,omitempty"`
	Config   *spec.Config `json:"config,omitempty"`
	Strategy string       `json:"strategy,omitempty"`
}

func main() {
	var texts []string
	if err := json.NewDecoder(os.Stdin).Decode(&texts); err != nil {
		log.Fatal(err)
	}
	answers := make([]answer, 0, len(texts))
	for _, text := range texts {
		answers = append(answers, read(text))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		log.Fatal(err)
	}
}

func read(text string) answer {
	file, err := os.CreateTemp("", "config-*.yaml")
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(file.Name())
	if _, err := file.WriteString(text); err != nil {
		log.Fatal(err)
	}
	file.Close()
	var config *spec.Config
	app := &cli.App{
		Flags: []cli.Flag{&cli.StringFlag{Name: "config-file", EnvVars: []string{"CONFIG_FILE"}}},
		Action: func(context *cli.Context) (err error) {
			config, err = spec.NewConfig(context, nil)
			return err
		},
	}
	if err := app.Run([]string{"nvidia-device-plugin", "--config-file", file.Name()}); err != nil {
		return answer{Refused: err.Error()}
	}
	// As the program goes on: what it does not support yet goes, and the rest is checked.
	spec.DisableResourceNamingInConfig(config)
	if plugin := config.Flags.Plugin; plugin != nil && plugin.DeviceListStrategy != nil {
		if _, err := spec.NewDeviceListStrategies(*plugin.DeviceListStrategy); err != nil {
			return answer{Refused: err.Error()}
		}
	}
	if err := spec.AssertChannelIDsValid(config.Imex.ChannelIDs); err != nil {
		return answer{Refused: err.Error()}
	}
	return answer{Config: config, Strategy: string(config.Sharing.SharingStrategy())}
}
