package policy

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

func condition(tb testing.TB, text string) matcher {
	tb.Helper()
	r := &reader{}
	m := r.compile(text, place{})
	if len(r.errors) > 0 {
		tb.Fatalf("%s: %v", text, r.errors)
	}
	return m
}

// logged is a request of which everything is logged.
func logged() *fingerprint.Request {
	var r fingerprint.Request
	r.Reset()
	b := func(s string) []byte { return []byte(s) }
	r.ID, r.Method, r.Path, r.Caller, r.User = b("r1"), b("POST"), b("/v1/chat"), b("sk-1"), b("u")
	r.Query = fingerprint.Query{Raw: b("a=1")}
	r.Session, r.Model, r.Backend, r.Error = b("s"), b("gpt-4.1"), b("openai"), b("timeout")
	r.Status, r.TokensIn, r.TokensOut, r.MaxTokens, r.Cost = 200, 10, 5, 100, 0.25
	r.HasTools, r.Stream, r.Cached = fingerprint.Yes, fingerprint.No, fingerprint.No
	r.Time = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC).UnixMicro()
	r.Attributes = []fingerprint.Attribute{{Name: b("header:x-team"), Value: b("red")}}
	return &r
}

func TestMatch(t *testing.T) {
	var nothing fingerprint.Request
	nothing.Reset()
	nothing.Time = 0
	// full: of a request with everything; empty: of one with a time only.
	f := func(text string, full, empty bool) {
		t.Helper()
		m := condition(t, text)
		if got := m.match(logged()); got != full {
			t.Errorf("%s: %v of a full request", text, got)
		}
		if got := m.match(&nothing); got != empty {
			t.Errorf("%s: %v of an empty request", text, got)
		}
	}
	f(`id == "r1" && method == "POST" && path == "/v1/chat" && query == "a=1" && caller == "sk-1" && user == "u"`, true, false)
	f(`session == "s" && model == "gpt-4.1" && backend == "openai" && error == "timeout"`, true, false)
	f(`status == 200 && tokens_in == 10 && tokens_out == 5 && max_tokens == 100 && cost == 0.25`, true, false)
	f(`has_tools && !stream && !cached`, true, false)
	f(`time == timestamp("2026-11-21T10:00:00Z")`, true, false)
	f(`time.getHours() == 10`, true, false)
	f(`attributes["header:x-team"] == "red"`, true, false)
	f(`path.startsWith("/v1/") && path.endsWith("chat") && path.contains("1/c") && path.matches("^/v[0-9]/")`, true, false)
	f(`model in ["gpt-4.1", "o3"]`, true, false)
	f(`size(session) == 1`, true, false)
	f(`true`, true, true)
	f(`false`, false, false)

	// A text that is not logged is empty.
	f(`session == ""`, false, true)
	f(`session != "s"`, false, true)
	f(`!path.startsWith("/v1/")`, false, true)

	f(`session == "S"`, false, false)
	f(`status == 200`, true, false)
	f(`status == 201`, false, false)
	f(`status != 201`, true, false)
	f(`status != 200`, false, false)
	f(`max_tokens == 100`, true, false)
	f(`tokens_in == tokens_out * 2`, true, false)
	f(`"s" == session`, true, false)
	f(`session == "s" == true`, true, false)
	f(`dyn(session == "s")`, true, false)
	f(`session == model`, false, true)
	f(`query == ""`, false, true)
	f(`query != "a=1"`, false, true)

	// What is said of another field that is not logged is neither true nor
	// false: the condition does not hold, nor does its opposite.
	f(`status >= 400`, false, false)
	f(`!(status >= 400)`, true, false)
	f(`tokens_in > 5`, true, false)
	f(`tokens_in <= 5`, false, false)
	f(`cost > 0.1`, true, false)
	f(`stream`, false, false)
	f(`!stream`, true, false)
	// Unless the other half decides.
	f(`status == 200 || session == ""`, true, true)
	f(`session == "" || status == 200`, true, true)
	f(`!(status == 200 && session != "")`, false, true)

	// Attributes are asked for by name, or whether they are there.
	f(`attributes["header:x-team"] != "blue"`, true, false)
	f(`!("header:x-team" in attributes)`, false, true)
	f(`"header:x-none" in attributes`, false, false)
	f(`size(attributes) == 0`, false, true)
	f(`size(attributes) == 1 && "header:x-team" in attributes`, true, false)

	// What is long is worked out to its end.
	f(`[`+strings.Repeat(`1, `, 500)+`200].exists(x, x == status)`, true, false)

	// What fails does not match.
	f(`1 / 0 == 1`, false, false)
	f(`path.matches(path + "(")`, false, false)
}

// An expression has the parser read what it needs, and no more.
func TestMatchReads(t *testing.T) {
	f := func(text string, want fingerprint.Field) {
		t.Helper()
		if got := condition(t, text).reads; got != want {
			t.Errorf("%s reads %b, want %b", text, got, want)
		}
	}
	f(`model == "m" && status == 200 && cost > 1.0 && !stream`, 0)
	f(`query == ""`, fingerprint.ReadsQuery)
	f(`has_tools`, fingerprint.ReadsTools)
	f(`"x" in attributes || query != ""`, fingerprint.ReadsAttributes|fingerprint.ReadsQuery)

	text := `version: 1
rules:
  - name: a
    profile: fairvisor
    match: has_tools
    overrides: [{match: '"x" in attributes', threshold: 3}]
exclude: [{name: x, match: query == "1"}]
`
	p := parse(t, text)
	if got, want := p.Rules[0].Reads, fingerprint.ReadsTools|fingerprint.ReadsAttributes; got != want {
		t.Errorf("the rule reads %b, want %b", got, want)
	}
	if got := p.Exclude[0].Reads; got != fingerprint.ReadsQuery {
		t.Errorf("the exclusion reads %b", got)
	}
}

// The work of one evaluation is bounded.
func TestMatchCost(t *testing.T) {
	m := condition(t, `[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, a+b+c+d+e+f > 0))))))`)
	if m.match(logged()) {
		t.Error("a million steps were taken")
	}
}

// However often an expression asks for the attributes, they are gathered once:
// a macro asks for them at each, and a request may have a thousand.
func TestMatchGathersOnce(t *testing.T) {
	a := &activation{r: logged()}
	first, _ := a.ResolveName("attributes")
	again, _ := a.ResolveName("attributes")
	if reflect.ValueOf(first).Pointer() != reflect.ValueOf(again).Pointer() {
		t.Error("gathered twice")
	}
}

// A condition keeps no part of a request: the line is gone after it.
func TestMatchForgets(t *testing.T) {
	m := condition(t, `model == "gpt-4.1" && attributes["header:x-team"] == "red"`)
	r := logged()
	if !m.match(r) {
		t.Fatal("does not match")
	}
	copy(r.Model, "GPT")
	if m.match(r) {
		t.Error("matches what the line was")
	}
	r = logged()
	r.Cost = math.NaN()
	if !m.match(r) {
		t.Error("a field that is not asked for matters")
	}
}
