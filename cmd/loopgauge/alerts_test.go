package main

import (
	"log/slog"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/link"
	"github.com/loopgauge/loopgauge/window/policy"
)

func TestAlertSinks(t *testing.T) {
	t.Setenv("LG_TOKEN", "xoxb-1")
	t.Setenv("LG_HOOK", "https://hooks.example/services/hidden")
	t.Setenv("LG_BAD", "hidden")
	dir := t.TempDir()
	write(t, filepath.Join(dir, "hook"), "https://hooks.example/services/hidden\n")
	write(t, filepath.Join(dir, "empty"), "\n")
	t.Chdir(dir)
	f := func(list, want string) {
		t.Helper()
		p, err := policy.Parse("p.yaml", []byte("version: 1\nrules: [{name: a, profile: aisg}]\nsinks: ["+list+"]\n"))
		if err != nil {
			t.Fatal(err)
		}
		made, _, err := alertSinks(p, slog.New(slog.DiscardHandler), false)
		var names []string
		for _, s := range made {
			name, _, _ := strings.Cut(sinks.Called(s), " hooks.example ")
			names = append(names, name)
		}
		got := strings.Join(names, ", ")
		if err != nil {
			_, got, _ = strings.Cut(err.Error(), ": ")
		}
		if !strings.Contains(got, want) || strings.Contains(got, "hidden") {
			t.Errorf("%s\ngives %s\nwant  %s", list, got, want)
		}
	}
	f(`{slack: {token: "${LG_TOKEN}", channel: C0123456789}}`, "log, slack C0123456789")
	f(`{slack: {webhook_url: "${LG_HOOK}"}}`, "log, slack webhook ")
	f(`{slack: {webhook_url_file: hook}}`, "log, slack webhook ")
	f(`{slack: {token_file: hook, channel: C0123456789}}`, "log, slack C0123456789")
	f(`{slack: {token_file: empty, channel: C0123456789}}`, "token: empty is empty")
	f(`{slack: {token_file: none, channel: C0123456789}}`, "token: none: no such file")
	f(`{slack: {token_file: hook, token: "${LG_TOKEN}", channel: C0123456789}}`, "needs token or token_file, not both")
	f(`{webhook: {url: "${LG_HOOK}", secret_file: none}}`, "secret: none: no such file")
	f(`{webhook: {url_file: hook}}`, `has no setting "url_file": only url, `)
	f(`{alertmanager: {url: "http://127.0.0.1:9093", user: a, password_file: hook}}`, "log, alertmanager 127.0.0.1:9093 ")
	f(`{alertmanager: {url: "http://127.0.0.1:9093/api/v2"}}`, "url goes without /api/v2")
	f(`{webhook: {url: "${LG_HOOK}", secret: "${LG_TOKEN}", shape: aisg, allow_private: true}}`, "log, webhook")
	f(`{slack: {token: "${LG_TOKEN}", channel: "#agents"}}`, `channel must be its ID`)
	f(`{slack: {token: "${LG_TOKEN}"}}`, "needs channel")
	f(`{slack: {channel: C0123456789}}`, "needs token")
	f(`{slack: {webhook_url: "${LG_HOOK}", channel: C0123456789}}`, "webhook_url alone")
	f(`{slack: {webhook_url: "${LG_BAD}"}}`, "webhook_url must begin with")
	f(`{slack: {token: "${LG_NONE}", channel: C0123456789}}`, "LG_NONE is not set")
	f(`{webhook: {url: "${LG_HOOK}", shap: aisg}}`, `has no setting "shap"; did you mean shape?`)
	f(`{webhook: {url: "${LG_HOOK}", shape: other}}`, "shape must be aisg")
	f(`{webhook: {url: "${LG_HOOK}", allow_private: perhaps}}`, "allow_private must be true or false")
	f(`{webhook: {url: "${LG_HOOK}"}}, {webhook: {url: "${LG_HOOK}"}}`, "is there twice")
	f(`{alertmanager: {url: "http://127.0.0.1:9093", user: a, password: "${LG_TOKEN}"}}`, "log, alertmanager 127.0.0.1:9093 ")
	f(`{alertmanager: {url: "http://127.0.0.1:9093", user: a}}`, "needs password")
	f(`{alertmanager: {}}`, "needs url")
	f(`{kafka: {alerts: "kafka://127.0.0.1:9092/loops"}}`, "log, kafka://127.0.0.1:9092/loops")
	f(`{kafka: {verdicts: "kafka://127.0.0.1:9092/verdicts"}}`, "log")
	f(`{kafka: {}}`, "needs alerts")
	f(`{kafka: {topic: a}}`, `has no setting "topic"`)
	f(`{kafka: {alerts: loops}}`, "kafka://host:port/topic")
	f(`{log: {}}`, "log")
	f(`{slack: {name: day, token: "${LG_TOKEN}", channel: C1111111}}, {slack: {name: night, token: "${LG_TOKEN}", channel: C2222222}}`, "log, day, night")
	f(`{slack: {name: day, token: "${LG_TOKEN}", channel: C1111111}}, {slack: {name: night, token: "${LG_TOKEN}", channel: C1111111}}`, "is there twice")
	f(`{slack: {name: "slack C2222222", token: "${LG_TOKEN}", channel: C1111111}}, {slack: {token: "${LG_TOKEN}", channel: C2222222}}`, `another sink is called "slack C2222222"`)
}

// A route may look at what its documentation says, and at all of it.
func TestRouteFields(t *testing.T) {
	var names []string
	for _, v := range policy.RouteVariables {
		names = append(names, v.Name)
	}
	slices.Sort(names)
	if got := slices.Sorted(maps.Keys(routeFields(&sinks.Alert{}))); !slices.Equal(got, names) {
		t.Errorf("routes are given %q, and may look at %q", got, names)
	}
	var want [][]string
	for _, v := range policy.RouteVariables {
		want = append(want, []string{v.Name, v.Type})
	}
	var got [][]string
	for _, row := range docTable(t, "alerts.md", "## Routes", "field") {
		got = append(got, row[:2])
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("docs/alerts.md has the fields\n%v\nroutes may look at\n%v", got, want)
	}
}

func TestAlertRoutes(t *testing.T) {
	p, err := policy.Parse("p.yaml", []byte(`version: 1
rules: [{name: a, profile: aisg}]
sinks:
  - webhook: {name: team, url: "https://a.example"}
  - webhook: {name: pager, url: "https://b.example", min_severity: critical}
routes: [{match: caller == "t", to: [team, log]}]
`))
	if err != nil {
		t.Fatal(err)
	}
	made, routes, err := alertSinks(p, slog.New(slog.DiscardHandler), false)
	if err != nil {
		t.Fatal(err)
	}
	team, pager := made[1].Name(), made[2].Name()
	if r := routes.List; len(r) != 1 || !slices.Equal(r[0].To, []string{"log", team}) || !r[0].Match(&sinks.Alert{Caller: "t"}) || r[0].Match(&sinks.Alert{}) {
		t.Errorf("%+v", r)
	}
	if routes.Least[team] != "" || routes.Least[pager] != window.Critical {
		t.Errorf("%v", routes.Least)
	}
}

// The contract of what is sent.
func TestAlertFields(t *testing.T) {
	var want [][]string
	for f := range reflect.TypeFor[sinks.Alert]().Fields() {
		kind := map[reflect.Kind]string{
			reflect.String: "string", reflect.Int: "number", reflect.Int64: "number", reflect.Float64: "number",
			reflect.Map: "object", reflect.Slice: "array", reflect.Pointer: "number or null", reflect.Bool: "boolean",
		}[f.Type.Kind()]
		if f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct {
			kind = "object or null"
		}
		want = append(want, []string{f.Tag.Get("json"), kind})
	}
	var got [][]string
	for _, row := range docTable(t, "alerts.md", "### Fields of an alert", "field") {
		got = append(got, row[:2])
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("docs/alerts.md has the fields\n%v\nan alert has\n%v", got, want)
	}
}

func TestAlertSettings(t *testing.T) {
	var got []string
	for _, row := range docTable(t, "alerts.md", "## Settings", "sink") {
		got = append(got, row[0]+"."+row[1])
		if secret := policy.IsSecret(row[1]); secret != (row[2] == "yes") {
			t.Errorf("docs/alerts.md: is %s of %s a secret? %s, and to a policy %t, which goes by the name (window/policy/secret.go)", row[1], row[0], row[2], secret)
		}
	}
	var want []string
	for _, kind := range sinkKinds {
		name := kind.name
		_, err := newSink(policy.Sink{Kind: name, Settings: map[string]string{"none": ""}}, nil)
		if err == nil {
			t.Fatalf("%s takes a setting that it does not have", name)
		}
		_, list, ok := strings.Cut(err.Error(), ": only ")
		if !ok {
			t.Fatal(err)
		}
		for setting := range strings.SplitSeq(list, ", ") {
			want = append(want, name+"."+setting)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/alerts.md has the settings\n%v\nthe sinks have\n%v", got, want)
	}
}

// TestSinkKinds: the kinds that a policy may have are made here.
func TestSinkKinds(t *testing.T) {
	var schema struct {
		Properties struct {
			Sinks struct {
				Items struct {
					Properties map[string]any
				}
			}
		}
	}
	unmarshal(t, string(policy.Schema()), &schema)
	made := append(names(sinkKinds, func(k sinkKind) string { return k.name }), "log")
	slices.Sort(made)
	if known := slices.Sorted(maps.Keys(schema.Properties.Sinks.Items.Properties)); !slices.Equal(known, made) {
		t.Errorf("a policy may have the sinks\n%v\nmade are\n%v", known, made)
	}
}

// TestLinkPlaceholders: the docs have those that there are.
func TestLinkPlaceholders(t *testing.T) {
	wantNames(t, "placeholders", column(docTable(t, "alerts.md", "## Links", "placeholder")), link.Values())
}
