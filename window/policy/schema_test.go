package policy

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// invalid says what is wrong with a value by a schema, nil if nothing is. It
// knows the words that Schema uses, and fails on others.
func invalid(tb testing.TB, schema map[string]any, value any, path string) (list []string) {
	tb.Helper()
	add := func(format string, args ...any) { list = append(list, path+": "+fmt.Sprintf(format, args...)) }
	sub := func(s any, v any, path string) { list = append(list, invalid(tb, s.(map[string]any), v, path)...) }
	object, _ := value.(map[string]any)
	array, _ := value.([]any)
	for word, arg := range schema {
		switch word {
		case "$schema", "title", "description":
		case "type":
			types, ok := arg.([]any)
			if !ok {
				types = []any{arg}
			}
			if !slices.ContainsFunc(types, func(t any) bool { return isType(value, t.(string)) }) {
				add("not of type %v", arg)
			}
		case "enum":
			if !slices.Contains(arg.([]any), value) {
				add("%v is not one of %v", value, arg)
			}
		case "const":
			if arg != value {
				add("%v is not %v", value, arg)
			}
		case "anyOf":
			fits := func(s any) bool { return invalid(tb, s.(map[string]any), value, path) == nil }
			if !slices.ContainsFunc(arg.([]any), fits) {
				add("fits none")
			}
		case "pattern":
			if text, ok := value.(string); ok && !regexp.MustCompile(arg.(string)).MatchString(text) {
				add("%s does not match %s", text, arg)
			}
		case "minimum":
			if n, ok := value.(float64); ok && n < arg.(float64) {
				add("less than %v", arg)
			}
		case "maximum":
			if n, ok := value.(float64); ok && n > arg.(float64) {
				add("more than %v", arg)
			}
		case "minProperties":
			if object != nil && len(object) < int(arg.(float64)) {
				add("fewer than %v", arg)
			}
		case "maxProperties":
			if len(object) > int(arg.(float64)) {
				add("more than %v", arg)
			}
		case "required":
			for _, name := range arg.([]any) {
				if _, ok := object[name.(string)]; object != nil && !ok {
					add("no %s", name)
				}
			}
		case "properties":
			for name, s := range arg.(map[string]any) {
				if v, ok := object[name]; ok {
					sub(s, v, path+"."+name)
				}
			}
		case "additionalProperties":
			known, _ := schema["properties"].(map[string]any)
			for name, v := range object {
				if _, ok := known[name]; ok {
					continue
				}
				if arg == false {
					add("unknown %s", name)
				} else {
					sub(arg, v, path+"."+name)
				}
			}
		case "items":
			for i, v := range array {
				sub(arg, v, fmt.Sprintf("%s[%d]", path, i))
			}
		default:
			tb.Fatalf("the schema says %s: teach it to this test", word)
		}
	}
	slices.Sort(list)
	return list
}

func isType(value any, name string) bool {
	switch v := value.(type) {
	case map[string]any:
		return name == "object"
	case []any:
		return name == "array"
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case float64:
		return name == "number" || name == "integer" && v == float64(int64(v))
	}
	return name == "null"
}

func fromYAML(tb testing.TB, text string) (value any) {
	tb.Helper()
	// This library takes YAML's numbers with an exponent for texts.
	text = strings.NewReplacer("1e3", "1000", "1e-06", "0.000001").Replace(text)
	data, err := yaml.YAMLToJSON([]byte(text))
	if err == nil {
		err = json.Unmarshal(data, &value)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return value
}

func schema(tb testing.TB) (s map[string]any) {
	tb.Helper()
	if err := json.Unmarshal(Schema(), &s); err != nil {
		tb.Fatal(err)
	}
	return s
}

// What Parse accepts is valid by the schema.
func TestSchemaAccepts(t *testing.T) {
	s := schema(t)
	for name, text := range policies(t) {
		for _, problem := range invalid(t, s, fromYAML(t, text), name) {
			t.Error(problem)
		}
		for _, problem := range invalid(t, s, fromYAML(t, string(parse(t, text).Source)), name) {
			t.Error("source of", problem)
		}
	}
	rule := s["properties"].(map[string]any)["rules"]
	for _, p := range Profiles() {
		for _, problem := range invalid(t, rule.(map[string]any), fromYAML(t, string(p.Text)).(map[string]any)["rules"], p.Name) {
			t.Error(problem)
		}
	}
}

// What an editor can say without Parse is said.
func TestSchemaRefuses(t *testing.T) {
	s := schema(t)
	for _, name := range []string{
		"three_mistakes", "unknown_fields", "wrong_types", "rules_mapping", "durations", "unknown_names",
		"version_missing", "version_wrong", "no_rules", "scalar", "a_list",
	} {
		if invalid(t, s, fromYAML(t, string(read(t, "testdata/errors/"+name+".yaml"))), name) == nil {
			t.Errorf("%s is valid by the schema", name)
		}
	}
}

// The reader and the schema know the same fields. The reader names its own
// when it meets one that it does not know.
func TestSchemaHasEveryField(t *testing.T) {
	at := func(path ...string) map[string]any {
		s := schema(t)
		for _, name := range path {
			s = s[name].(map[string]any)
		}
		return s
	}
	f := func(text, field string, path ...string) {
		t.Helper()
		_, err := Parse("p", []byte(text))
		_, names, ok := strings.Cut(fmt.Sprint(err), field+": unknown field; there are ")
		names, _, _ = strings.Cut(names, "\n")
		if !ok {
			t.Fatalf("%v", err)
		}
		var got []string
		for name := range at(path...) {
			got = append(got, name)
		}
		want := strings.Split(names, ", ")
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the schema has %v, the reader %v", field, got, want)
		}
	}
	rule := []string{"properties", "rules", "items", "properties"}
	f("xxxxxxxxxxxx: 1", "xxxxxxxxxxxx", "properties")
	f("rules: [{xxxxxxxxxxxx: 1}]", "xxxxxxxxxxxx", rule...)
	f("rules: [{counter: {xxxxxxxxxxxx: 1}}]", "xxxxxxxxxxxx", slices.Concat(rule, []string{"counter", "properties"})...)
	f("rules: [{overrides: [{xxxxxxxxxxxx: 1}]}]", "xxxxxxxxxxxx", slices.Concat(rule, []string{"overrides", "items", "properties"})...)
	f("exclude: [{xxxxxxxxxxxx: 1}]", "xxxxxxxxxxxx", "properties", "exclude", "items", "properties")
	f("routes: [{xxxxxxxxxxxx: 1}]", "xxxxxxxxxxxx", "properties", "routes", "items", "properties")
	f("kafka: {xxxxxxxxxxxx: 1}", "xxxxxxxxxxxx", "properties", "kafka", "properties")
	f("kafka: {tls: {xxxxxxxxxxxx: 1}}", "xxxxxxxxxxxx", "properties", "kafka", "properties", "tls", "properties")
	f("kafka: {sasl: {xxxxxxxxxxxx: 1}}", "xxxxxxxxxxxx", "properties", "kafka", "properties", "sasl", "properties")
	f("prices: {m: {xxxxxxxxxxxx: 1}}", "xxxxxxxxxxxx", "properties", "prices", "additionalProperties", "properties")
}
