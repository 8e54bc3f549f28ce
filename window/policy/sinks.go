package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"github.com/goccy/go-yaml/ast"

	"github.com/loopgauge/loopgauge/window"
)

// sinkKinds are the sinks a policy can have. The command makes them, and a test
// there wants the same ones.
var sinkKinds = []string{"log", "slack", "webhook", "alertmanager", "kafka"}

// Route sends alerts to sinks.
type Route struct {
	Match func(map[string]any) bool // of the fields of an alert, by RouteVariables
	To    []string                  // names of sinks; none is nobody
}

type routeDraft struct {
	at    place
	match string
	to    []string
	toAt  []place
}

// sinks checks kinds, what all sinks have, and that no secret stands in the
// file. What a sink makes of its other settings is the sink's.
func (v Value) sinks(d *draft) {
	v.List(func(v Value) {
		one, _ := v.members()
		if len(one) != 1 {
			v.problem("must be one sink with its settings, as in - slack: {...}")
			return
		}
		kind, its := one[0].name, one[0].Value
		if !slices.Contains(sinkKinds, kind) {
			v.problem("no sink is called %q%s", kind, suggest(kind, sinkKinds))
			d.sinkLost = true
			return
		}
		its.secrets()
		sink := Sink{Kind: kind, Name: kind, Settings: map[string]string{}, Place: fmt.Sprintf("%s:%d:%d: %s", v.r.file, v.at.line, v.at.column, its.at.path)}
		settings, ok := its.members()
		if _, none := its.node.(*ast.NullNode); !ok && !none {
			its.problem("must be a mapping, is %s", kindOf(its.node))
		}
		for _, x := range settings {
			switch {
			case kind == "log" && x.name != "name":
				x.problem("the log has no settings: it gets every alert")
			case x.name == "name":
				text(&sink.Name).read(x.Value)
				switch taken := d.sinkCalled(sink.Name); {
				case sink.Name == "":
					v.r.check(x.at, "must not be empty")
				case taken, sink.Name == "log" && kind != "log": // which is always there
					x.problem("another sink is called %q", sink.Name)
				}
			case x.name == "min_severity":
				choice(window.Severities, &sink.Least).read(x.Value)
			default:
				scalar, ok := x.node.(ast.ScalarNode)
				switch _, none := x.node.(*ast.NullNode); {
				case ok && !none:
					sink.Settings[x.name] = fmt.Sprint(scalar.GetValue())
				case !IsSecret(x.name): // of which that is said already
					x.problem("must be a text, is %s", kindOf(x.node))
				}
			}
		}
		d.sinks = append(d.sinks, sink)
	})
}

// sinkSchema is that of a sink; settings of its own are the sink's.
func sinkSchema() object {
	kinds := object{}
	for _, name := range sinkKinds {
		kinds[name] = object{"type": []string{"object", "null"}, "properties": object{
			"name":         object{"type": "string", "description": "by which routes know it, and what is said of it; routes know the others by their kinds"},
			"min_severity": object{"enum": window.Severities, "description": "that an incident must have to be told of"},
		}}
	}
	return object{"type": "object", "properties": kinds, "additionalProperties": false, "minProperties": 1, "maxProperties": 1}
}

func (d *draft) sinkCalled(name string) bool {
	return slices.ContainsFunc(d.sinks, func(s Sink) bool { return s.Name == name })
}

func (d *routeDraft) members() []entry {
	to := func(v Value) {
		v.List(func(v Value) {
			if name, ok := v.textOf(); ok {
				d.to, d.toAt = append(d.to, name), append(d.toAt, v.at)
			}
		})
	}
	return []entry{
		{"match", text(&d.match), "CEL condition on the alert"},
		{"to", form{to, array(object{"type": "string"})}, "names of sinks; none is nobody"},
	}
}

func (v Value) route() routeDraft {
	d := routeDraft{at: v.at}
	v.mapping(d.members())
	return d
}

// buildRoutes checks that routes lead to sinks that there are.
func (r *reader) buildRoutes(d *draft) (routes []Route) {
	names := []string{"log"} // is always there
	for _, s := range d.sinks {
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	words := d.routeWords()
	for i := range d.routes {
		x := &d.routes[i]
		if !r.given(x.at, "to") {
			r.lacks(x.at, "needs to: a list of sinks; [] is nobody", "to")
		}
		for k, name := range x.to {
			n := 0
			for _, s := range d.sinks {
				if s.Name == name {
					n++
				}
			}
			switch {
			case n == 0 && name != "log" && !d.sinkLost:
				r.problem(x.toAt[k], "no sink is called %q%s", name, suggest(name, names))
			case n > 1:
				r.problem(x.toAt[k], "%d sinks are called %q: give each a name", n, name)
			}
		}
		if x.match == "" {
			r.lacks(x.at, "needs a match; 'true' is every alert", "match")
			continue
		}
		routes = append(routes, Route{r.compileRoute(x.match, r.where(x.at, "match"), words), x.to})
	}
	return routes
}

// RouteVariable is a field of an alert that a route may look at.
type RouteVariable struct{ Name, Type string }

// RouteVariables are those that never change while an incident lasts, but for
// severity, which goes up only.
var RouteVariables = []RouteVariable{
	{"rule", "string"},               // the rule that fired first
	{"identity", "string"},           // its identity
	{"action", "string"},             // what the gateway would have done
	{"severity", "string"},           // info, warning or critical
	{"scope", "map(string, string)"}, // fields of the rule's scope: scope["attr:header:x-team"]
	{"session", "string"},            // of the request that fired first, as the alert writes it; so are the others
	{"caller", "string"},
	{"user", "string"},
	{"model", "string"},
	{"backend", "string"},
}

// routeEnvironment is that of conditions on requests, with what only alerts
// have.
var routeEnvironment = func() *cel.Env {
	options := []cel.EnvOption{literals}
	for _, v := range RouteVariables {
		switch {
		case slices.ContainsFunc(Variables, func(known Variable) bool { return known.Name == v.Name }):
		case v.Name == "scope":
			options = append(options, cel.Variable(v.Name, cel.MapType(cel.StringType, cel.StringType)))
		default:
			options = append(options, cel.Variable(v.Name, cel.StringType))
		}
	}
	env, err := environment.Extend(options...)
	if err != nil {
		panic(err)
	}
	return env
}()

// compileRoute compiles the condition of a route; words are those that its
// fields can be.
func (r *reader) compileRoute(text string, at place, words map[string][]string) func(map[string]any) bool {
	names := named(RouteVariables, func(v RouteVariable) string { return v.Name })
	parsed := r.parse(routeEnvironment, text, at, "alert", names)
	if parsed == nil {
		return nil
	}
	refs := parsed.NativeRep().ReferenceMap()
	for _, id := range slices.Sorted(maps.Keys(refs)) {
		name := refs[id].Name
		request := slices.ContainsFunc(Variables, func(v Variable) bool { return v.Name == name })
		if request && !slices.Contains(names, name) {
			where := parsed.NativeRep().SourceInfo().GetStartLocation(id)
			r.problem(at.inside(where.Line(), where.Column()+1), "an alert has no %s, only requests have; there are %s", name, strings.Join(names, ", "))
			return nil
		}
	}
	r.routeTypos(parsed, at, words)
	program, err := routeEnvironment.Program(parsed, programOptions...)
	if err != nil {
		r.problem(at, "%s", err)
		return nil
	}
	return func(alert map[string]any) bool {
		out, _, err := program.Eval(alert)
		return err == nil && out == types.True
	}
}
