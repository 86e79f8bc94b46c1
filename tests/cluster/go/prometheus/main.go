// Asks Prometheus' own engine what alerts, recorded series and queries come to on series of the asker's.
//
// Of standard input it takes a list of trials, each
// {"rules": text of a rule file, "series": [[series, values]], "minutes": n, "queries": [{"expr", "from", "until"}]};
// values are a sample a minute, in the notation of promtool's tests. Rules are evaluated each minute, and queries asked
// at the minute `until`, or at each of `from` to `until`; where `open`, comparisons in them answer 0 or 1 for each series
// that they see, and absent() with the series that it looks for. It answers with the alerts that fired and from which
// minute to which, and with what each query came to.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
)

type query struct {
	Expr  string `json:"expr"`
	From  *int   `json:"from"`
	Until int    `json:"until"`
	Open  bool   `json:"open"`
}

type trial struct {
	Rules   string      `json:"rules"`
	Series  [][2]string `json:"series"`
	Minutes int         `json:"minutes"`
	Queries []query     `json:"queries"`
}

type fired struct {
	Name        string            `json:"name"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	From        int               `json:"from"`
	Until       int               `json:"until"`
}

type result struct {
	Labels map[string]string `json:"labels"`
	Values []string          `json:"values"`
}

type answer struct {
	Alerts  []*fired   `json:"alerts"`
	Results [][]result `json:"results"`
	Refused string     `json:"refused,omitempty"`
}

func main() {
	var trials []trial
	if err := json.NewDecoder(os.Stdin).Decode(&trials); err != nil {
		log.Fatal(err)
	}
	answers := []answer{}
	for _, each := range trials {
		made, err := each.run()
		if err != nil {
			made.Refused = err.Error()
		}
		answers = append(answers, made)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		log.Fatal(err)
	}
}

func (t trial) run() (made answer, err error) {
	made = answer{Alerts: []*fired{}, Results: [][]result{}}
	text := "load 1m\n"
	for _, each := range t.Series {
		text += fmt.Sprintf("  %s %s\n", each[0], each[1])
	}
	suite, err := promqltest.NewLazyLoader(text, promqltest.LazyLoaderOpts{EnableAtModifier: true, EnableNegativeOffset: true})
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, suite.Close()) }()
	suite.SubqueryInterval = time.Minute
	groups, err := loaded(t.Rules, suite)
	if err != nil {
		return made, err
	}
	firing := map[string]*fired{}
	for minute := 0; minute <= t.Minutes; minute++ {
		now := time.Unix(int64(minute)*60, 0).UTC()
		suite.WithSamplesTill(now, func(failed error) { err = failed })
		if err != nil {
			return made, err
		}
		if err := evaluated(groups, suite, now); err != nil {
			return made, err
		}
		firing = made.note(groups, firing, minute)
	}
	for _, each := range t.Queries {
		found, err := each.asked(suite)
		if err != nil {
			return made, fmt.Errorf("%s: %w", each.Expr, err)
		}
		made.Results = append(made.Results, found)
	}
	return made, nil
}

// loaded reads a rule file as Prometheus does.
func loaded(text string, suite *promqltest.LazyLoader) ([]*rules.Group, error) {
	if text == "" {
		return nil, nil
	}
	folder, err := os.MkdirTemp("", "rules")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "rules.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, err
	}
	manager := rules.NewManager(&rules.ManagerOptions{
		QueryFunc:  rules.EngineQueryFunc(suite.QueryEngine(), suite.Storage()),
		Appendable: suite.Storage(),
		Context:    context.Background(),
		NotifyFunc: func(context.Context, string, ...*rules.Alert) {},
		Logger:     promslog.NewNopLogger(),
		Parser:     parser.NewParser(parser.Options{}),
	})
	byName, failed := manager.LoadGroups(time.Minute, labels.EmptyLabels(), "http://prometheus.example.com", nil, false, file)
	if failed != nil {
		return nil, errors.Join(failed...)
	}
	var found []*rules.Group
	for _, group := range byName {
		found = append(found, group)
		for _, rule := range group.Rules() {
			if alerting, ok := rule.(*rules.AlertingRule); ok {
				alerting.SetRestored(true) // else it writes no series of alerts
			}
		}
	}
	return found, nil
}

func evaluated(groups []*rules.Group, suite *promqltest.LazyLoader, now time.Time) error {
	for _, group := range groups {
		group.Eval(suite.Context(), now)
		for _, rule := range group.Rules() {
			if err := rule.LastError(); err != nil {
				return fmt.Errorf("%s at %s: %w", rule.Name(), now, err)
			}
		}
	}
	return nil
}

// note writes down which alerts fire at this minute; one that did before goes on.
func (a *answer) note(groups []*rules.Group, before map[string]*fired, minute int) map[string]*fired {
	firing := map[string]*fired{}
	for _, group := range groups {
		for _, rule := range group.Rules() {
			alerting, ok := rule.(*rules.AlertingRule)
			if !ok {
				continue
			}
			for _, each := range alerting.ActiveAlerts() {
				if each.State != rules.StateFiring {
					continue
				}
				key := each.Labels.String()
				one, known := before[key]
				if !known {
					one = &fired{alerting.Name(), each.Labels.Map(), each.Annotations.Map(), minute, minute}
					a.Alerts = append(a.Alerts, one)
				}
				one.Until = minute
				firing[key] = one
			}
		}
	}
	return firing
}

func (q query) text() (string, error) {
	if !q.Open {
		return q.Expr, nil
	}
	tree, err := parser.NewParser(parser.Options{}).ParseExpr(q.Expr)
	if err != nil {
		return "", err
	}
	return opened(tree).String(), nil
}

// opened shows what an alert looks at, whether it would fire or not. Of `unless` it keeps what could fire.
func opened(node parser.Expr) parser.Expr {
	switch each := node.(type) {
	case *parser.ParenExpr:
		each.Expr = opened(each.Expr)
	case *parser.UnaryExpr:
		each.Expr = opened(each.Expr)
	case *parser.SubqueryExpr:
		each.Expr = opened(each.Expr)
	case *parser.AggregateExpr:
		each.Expr = opened(each.Expr)
	case *parser.BinaryExpr:
		each.LHS, each.RHS = opened(each.LHS), opened(each.RHS)
		if each.Op == parser.LUNLESS {
			return each.LHS
		}
		if each.Op.IsComparisonOperator() {
			each.ReturnBool = true
		}
	case *parser.Call:
		for number, argument := range each.Args {
			each.Args[number] = opened(argument)
		}
		if each.Func.Name == "absent" {
			return each.Args[0]
		}
	}
	return node
}

func (q query) asked(suite *promqltest.LazyLoader) ([]result, error) {
	until := time.Unix(int64(q.Until)*60, 0).UTC()
	engine := suite.QueryEngine()
	var made promql.Query
	text, err := q.text()
	if err != nil {
		return nil, err
	}
	if q.From == nil {
		made, err = engine.NewInstantQuery(suite.Context(), suite.Queryable(), nil, text, until)
	} else {
		from := time.Unix(int64(*q.From)*60, 0).UTC()
		made, err = engine.NewRangeQuery(suite.Context(), suite.Queryable(), nil, text, from, until, time.Minute)
	}
	if err != nil {
		return nil, err
	}
	defer made.Close()
	got := made.Exec(suite.Context())
	if got.Err != nil {
		return nil, got.Err
	}
	found := []result{}
	switch value := got.Value.(type) {
	case promql.Vector:
		for _, each := range value {
			found = append(found, result{each.Metric.Map(), []string{number(each.F)}})
		}
	case promql.Matrix:
		for _, each := range value {
			one := result{each.Metric.Map(), []string{}}
			for _, point := range each.Floats {
				one.Values = append(one.Values, number(point.F))
			}
			found = append(found, one)
		}
	case promql.Scalar:
		found = append(found, result{map[string]string{}, []string{number(value.V)}})
	}
	return found, nil
}

func number(value float64) string {
	if math.IsNaN(value) {
		return "NaN"
	}
	return strings.TrimSuffix(strconv.FormatFloat(value, 'f', -1, 64), ".0")
}
