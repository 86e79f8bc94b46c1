// Reads networks of pods as Multus and whereabouts do, and Multus' own configuration.
//
// Of standard input it takes {"networks": [text], "multus": [text], "settings": path}; settings is the file that
// whereabouts finds on a node. For each text it answers what was understood, or "refused" with the reason.
package main

import (
	"encoding/json"
	"errors"
	"log"
	"os"

	"github.com/k8snetworkplumbingwg/whereabouts/pkg/config"
	multus "gopkg.in/k8snetworkplumbingwg/multus-cni.v4/pkg/types"
)

type question struct {
	Networks []string `json:"networks"`
	Multus   []string `json:"multus"`
	Settings string   `json:"settings"`
}

func main() {
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		log.Fatal(err)
	}
	answers := []map[string]any{}
	add := func(answer map[string]any, err error) {
		if err != nil {
			answer = map[string]any{"refused": err.Error()}
		}
		answers = append(answers, answer)
	}
	for _, text := range asked.Networks {
		add(network([]byte(text), asked.Settings))
	}
	for _, text := range asked.Multus {
		add(attaching([]byte(text)))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		log.Fatal(err)
	}
}

// network says which plugins Multus calls, and which addresses whereabouts gives out for the first.
func network(text []byte, settings string) (map[string]any, error) {
	delegate, err := multus.LoadDelegateNetConf(text, nil, "", "")
	if err != nil {
		return nil, err
	}
	plugins, ranged := []string{}, false
	for _, each := range delegate.ConfList.Plugins {
		plugins = append(plugins, each.Type)
		ranged = ranged || each.IPAM.Type != ""
	}
	answer := map[string]any{
		"name": delegate.ConfList.Name, "cniVersion": delegate.ConfList.CNIVersion, "plugins": plugins,
	}
	if !ranged {
		return answer, nil
	}
	addresses, err := config.LoadIPAMConfiguration(text, "", settings)
	if err != nil {
		return nil, err
	}
	if len(addresses.IPRanges) == 0 {
		return nil, errors.New("whereabouts has no range")
	}
	understood := map[string]any{
		"type":               addresses.Type,
		"range":              addresses.IPRanges[0].Range,
		"exclude":            addresses.IPRanges[0].OmitRanges,
		"routes":             addresses.Routes,
		"gateway":            addresses.GatewayStr,
		"configuration_path": addresses.ConfigurationPath,
	}
	answer["ipam"] = understood
	return answer, nil
}

// attaching says what Multus makes of the file that its pod wrote on a node: of its first plugin where it is a list.
func attaching(text []byte) (map[string]any, error) {
	var list struct {
		Plugins []json.RawMessage `json:"plugins"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	if len(list.Plugins) > 0 {
		text = list.Plugins[0]
	}
	found, err := multus.LoadNetConf(text)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"isolated":   found.NamespaceIsolation,
		"shared":     found.NonIsolatedNamespaces,
		"kubeconfig": found.Kubeconfig,
		"network":    found.Delegates[0].ConfList.Name,
	}, nil
}
