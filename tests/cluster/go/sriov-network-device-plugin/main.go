// Reads configuration files as the SR-IOV network device plugin does, and says which functions of some ports each pool of
// them takes. Texts and ports come as an object of JSON, answers go out as a list.
//
// The release that the pins have takes one selector where later ones take a list as well, so it gets them one by one.
package main

import (
	"encoding/json"
	"flag"
	"log"
	"os"
	"strings"

	"github.com/k8snetworkplumbingwg/sriov-network-device-plugin/pkg/factory"
	"github.com/k8snetworkplumbingwg/sriov-network-device-plugin/pkg/types"
)

type question struct {
	Texts []string `json:"texts"`
	// Ports are names of interfaces, or PCI addresses.
	Ports     []string `json:"ports"`
	Functions int      `json:"functions"`
}

type pool struct {
	Resource  *types.ResourceConfig `json:"resource"`
	Selectors []any                 `json:"selectors"`
	Functions map[string][]int      `json:"functions"`
}

type answer struct {
	Refused string `json:"refused,omitempty"`
	Pools   []pool `json:"pools,omitempty"`
}

// function is one of a port; what else the plugin would know of it, nothing here asks for.
type function struct {
	types.PciNetDevice
	port   string
	number int
}

func (f *function) GetVFID() int { return f.number }

func (f *function) GetPFName() string {
	if strings.Contains(f.port, ":") {
		return ""
	}
	return f.port
}

func (f *function) GetPfPciAddr() string {
	if strings.Contains(f.port, ":") {
		return f.port
	}
	return ""
}

func main() {
	flag.Set("stderrthreshold", "FATAL")
	flag.Parse()
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		log.Fatal(err)
	}
	out := os.Stdout
	os.Stdout = os.Stderr
	answers := make([]answer, 0, len(asked.Texts))
	for _, text := range asked.Texts {
		answers = append(answers, read(text, asked))
	}
	if err := json.NewEncoder(out).Encode(answers); err != nil {
		log.Fatal(err)
	}
}

func read(text string, asked question) answer {
	list := &types.ResourceConfList{}
	if err := json.Unmarshal([]byte(text), list); err != nil {
		return answer{Refused: err.Error()}
	}
	plugin := factory.NewResourceFactory("intel.com", "sock", true)
	found := answer{}
	for index := range list.ResourceList {
		resource := &list.ResourceList[index]
		if resource.DeviceType == "" {
			resource.DeviceType = types.NetDeviceType
		}
		made := pool{Resource: resource, Functions: map[string][]int{}}
		for _, selector := range selectors(resource) {
			one := *resource
			one.Selectors = &selector
			filter, err := plugin.GetDeviceFilter(&one)
			if err != nil {
				return answer{Refused: err.Error()}
			}
			one.SelectorObj = filter
			if !plugin.GetDeviceProvider(one.DeviceType).ValidConfig(&one) {
				return answer{Refused: "the plugin calls " + resource.ResourceName + " invalid"}
			}
			made.Selectors = append(made.Selectors, filter)
			choose(plugin, filter.(*types.NetDeviceSelectors), asked, made.Functions)
		}
		if len(made.Selectors) == 0 {
			return answer{Refused: resource.ResourceName + " has no selector"}
		}
		resource.Selectors = nil
		found.Pools = append(found.Pools, made)
	}
	return found
}

func selectors(resource *types.ResourceConfig) []json.RawMessage {
	if resource.Selectors == nil {
		return nil
	}
	var several []json.RawMessage
	if json.Unmarshal(*resource.Selectors, &several) == nil {
		return several
	}
	return []json.RawMessage{*resource.Selectors}
}

func choose(plugin types.ResourceFactory, filter *types.NetDeviceSelectors, asked question, chosen map[string][]int) {
	var devices []types.PciDevice
	for _, port := range asked.Ports {
		for number := -1; number < asked.Functions; number++ { // -1 is the port itself
			devices = append(devices, &function{port: port, number: number})
		}
	}
	for attribute, values := range map[string][]string{"pfNames": filter.PfNames, "rootDevices": filter.RootDevices} {
		if len(values) == 0 {
			continue
		}
		selector, err := plugin.GetSelector(attribute, values)
		if err != nil {
			log.Fatal(err)
		}
		devices = selector.Filter(devices)
	}
	for _, device := range devices {
		one := device.(*function)
		chosen[one.port] = append(chosen[one.port], one.number)
	}
}
