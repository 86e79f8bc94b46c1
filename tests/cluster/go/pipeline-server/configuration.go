package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Configuration is the file, and variables of the environment, which win even where they are empty: `initConfig`,
// backend/src/apiserver/main.go:624.
type Configuration struct {
	file map[string]any
}

func readConfiguration(folder string) (Configuration, error) {
	made := Configuration{file: map[string]any{}}
	text, err := os.ReadFile(filepath.Join(folder, "config.json"))
	if err != nil {
		return made, err
	}
	return made, json.Unmarshal(text, &made.file)
}

// Text is a value by its path, such as `ObjectStoreConfig.Host`; `otherwise` where nothing says it.
func (c Configuration) Text(path, otherwise string) string {
	variable := strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
	if value, there := os.LookupEnv(variable); there {
		return value
	}
	var found any = c.file
	for _, step := range strings.Split(path, ".") {
		below, ok := found.(map[string]any)
		if !ok {
			return otherwise
		}
		if found, ok = entry(below, step); !ok {
			return otherwise
		}
	}
	return fmt.Sprint(found)
}

func (c Configuration) Is(path string) bool {
	return c.Text(path, "false") == "true"
}

// Names of entries are found whatever their case, as the server's reader of configuration does.
func entry(below map[string]any, name string) (any, bool) {
	for key, value := range below {
		if strings.EqualFold(key, name) {
			return value, true
		}
	}
	return nil, false
}
