// Reads dashboards as Grafana's own types have them: texts come as a list of JSON, and what of each is unknown, of another
// type or out of range goes out as one.
package main

import (
	"encoding/json"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

type answer struct {
	Refused   string               `json:"refused,omitempty"`
	Dashboard *dashboard.Dashboard `json:"dashboard,omitempty"`
}

func main() {
	plugins.RegisterDefaultPlugins()
	var texts []string
	if err := json.NewDecoder(os.Stdin).Decode(&texts); err != nil {
		panic(err)
	}
	answers := make([]answer, 0, len(texts))
	for _, text := range texts {
		answers = append(answers, read(text))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}

func read(text string) answer {
	found := &dashboard.Dashboard{}
	// What the types return is never nil: where all is well it is a list without an error.
	if err := found.UnmarshalJSONStrict([]byte(text)); err != nil && err.Error() != "" {
		return answer{Refused: err.Error()}
	}
	if err := found.Validate(); err != nil && err.Error() != "" {
		return answer{Refused: err.Error()}
	}
	return answer{Dashboard: found}
}
