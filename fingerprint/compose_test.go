package fingerprint

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// aPart is a part with a value for a request, and another that differs.
type aPart struct {
	part       string
	member     string
	one, other string
	value      string // of one, in the canonical form
}

const aCall = `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"1"}}]}`

// someParts has every part. Parts of the same member are not drawn together.
var someParts = []aPart{
	{"method", "method", "GET", "POST", `"GET"`},
	{"path", "path", "/a", "/a/", `"/a"`},
	{"query", "query", "b=1&a=2", "b=1&a=", `{"a":"2","b":"1"}`},
	{"body", "body", `{"a": 1}`, `{"a":1}`, `"{\"a\": 1}"`},
	{"body", "body_hash", "12", "13", `{"hash":"12"}`},
	{"caller", "caller", "", "c", `""`},
	{"user", "user", "u", "", `"u"`},
	{"model", "model", "m", "M", `"m"`},
	{"backend", "backend", "openai", "azure", `"openai"`},
	{"session", "session", "s\"]", "s", `"s\"]"`},
	{"has_tools", "has_tools", "true", "false", `true`},
	{"messages", "messages", `["a","b"]`, `["c","b"]`, `[{"text":"a"},{"text":"b"}]`},
	{"last_messages:1", "messages", `["a","b"]`, `["a","c"]`, `[{"text":"b"}]`},
	{"tool_call", "response", `f {"b":1,"a":1}`, `f {"b":1,"a":2}`, `{"arguments":{"a":1,"b":1},"name":"f"}`},
	{
		"last_turn", "messages",
		`[` + aCall + `,{"role":"tool","tool_call_id":"a","content":"x"}]`,
		`[` + aCall + `,{"role":"tool","tool_call_id":"a","content":"y"}]`,
		`[{"arguments":1,"name":"f","result":{"text":"x"}}]`,
	},
	{"last_exchange", "messages", `[{"role":"assistant","content":"b"},"a",{"role":"assistant","content":"b"},"c"]`, `[{"role":"assistant","content":"b"},"a",{"role":"assistant","content":"b"},"d"]`, `[{"role":"assistant","text":"b"},{"text":"c"}]`},
	{"attr:header:x", "attr:header:x", "1", "2", `"1"`},
	{"attr:a", "attr:a", "1", "", `"1"`},
}

func partsAre(parts []aPart, name string) bool {
	return slices.ContainsFunc(parts, func(p aPart) bool { return strings.Split(p.part, ":")[0] == name })
}

// Requests that differ in one part have different fingerprints if the part is
// in the identity, and equal ones if it is not.
func TestComposedParts(t *testing.T) {
	for _, p := range Parts {
		if !partsAre(someParts, p.Name) {
			t.Errorf("no case for the part %s", p.Name)
		}
	}
	order := func(p aPart) int {
		return slices.IndexFunc(Parts, func(q Part) bool { return q.Name == strings.Split(p.part, ":")[0] })
	}
	rapid.Check(t, func(t *rapid.T) {
		// A request has one value for each member.
		var has []aPart
		for _, p := range rapid.Permutation(someParts).Draw(t, "parts") {
			clash := func(q aPart) bool { return q.member == p.member || q.part == p.part }
			if !slices.ContainsFunc(has, clash) {
				has = append(has, p)
			}
		}
		n := rapid.IntRange(1, len(has)).Draw(t, "chosen")
		chosen := has[:n]
		var names []string
		for _, p := range chosen {
			names = append(names, p.part)
		}
		id := mustNew(t, "", Options{Parts: names})
		build := func(changed int) *Request {
			var members []string
			for i, p := range has {
				value := p.one
				if i == changed {
					value = p.other
				}
				members = append(members, p.member, value)
			}
			return request(t, members...)
		}
		got := canonicals(id, build(-1))
		// The parts stand in the order of Parts.
		sorted := slices.Clone(chosen)
		slices.SortFunc(sorted, func(a, b aPart) int {
			if d := order(a) - order(b); d != 0 {
				return d
			}
			return strings.Compare(a.part, b.part)
		})
		var pairs []string
		for _, p := range sorted {
			pairs = append(pairs, `["`+p.part+`",`+p.value+`]`)
		}
		if want := `[` + strings.Join(pairs, ",") + `]`; len(got) != 1 || got[0] != want {
			t.Fatalf("%v:\n got %s\nwant %s", names, got, want)
		}
		if again, ok := jcsOf(got[0]); !ok || again != got[0] {
			t.Fatalf("not in the form of RFC 8785: %s", got[0])
		}
		w := NewWriter(nil)
		id.Compute(build(-1), w)
		for i, p := range has {
			w2 := NewWriter(nil)
			if cause := id.Compute(build(i), w2); cause != Computable {
				t.Fatalf("%s: %v", p.part, cause)
			}
			same := w.Prints()[0].Fingerprint == w2.Prints()[0].Fingerprint
			if same != (i >= n) {
				t.Fatalf("%v: %s changed, equal fingerprints: %v", names, p.part, same)
			}
		}
	})
}

// Messages and arguments written with other white space, order and escapes
// are the same.
func TestComposedReserialised(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		arguments, result := genJSON(2).Draw(t, "arguments"), genJSON(2).Draw(t, "result")
		render := func() *Request {
			text := rewrite(t, arguments)
			if rapid.Bool().Draw(t, "as text") {
				data, _ := json.Marshal(text)
				text = string(data)
			} else if _, isText := arguments.(string); isText || arguments == nil {
				data, _ := json.Marshal(text) // a text or null by itself would be read as the arguments' text, or none
				text = string(data)
			}
			call := `{"role":"assistant","tool_calls":[{"id":"x","function":{"name":"f","arguments":` + text + `}}]}`
			members := []string{`"role":"tool"`, `"tool_call_id":"x"`, `"content":` + rewrite(t, result)}
			members = rapid.Permutation(members).Draw(t, "order")
			return request(t, "messages", "["+call+",{"+strings.Join(members, " ,\n")+"}]")
		}
		one, other := render(), render()
		for _, name := range []string{"tool-call", "tool-call-result", "prompt", "openrouter", "tool-call-python"} {
			id := mustNew(t, name, Options{})
			a, b := canonicals(id, one), canonicals(id, other)
			// Python tells 1 from 1.0 and 1e0, so its identity may differ there.
			if name == "tool-call-python" && strings.ContainsAny(a[0]+b[0], "0123456789") {
				continue
			}
			if !slices.Equal(a, b) {
				t.Fatalf("%s:\n%s\n%s", name, a, b)
			}
		}
	})
}

func TestComposeErrors(t *testing.T) {
	f := func(name string, o Options, want string) {
		t.Helper()
		if _, err := New(name, o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q, %+v: %v, want %s", name, o, err, want)
		}
	}
	parts := func(names ...string) Options { return Options{Parts: names} }
	f("", Options{}, "no parts")
	f("", parts("modell"), `no part is called "modell"; there are method, path, `)
	f("", parts("model", "model"), `part "model" is there twice`)
	f("", parts("last_messages:3", "last_messages:03"), `part "last_messages:03" is there twice`)
	f("", parts("last_messages"), `part "last_messages": write last_messages:N`)
	f("", parts("last_messages:0"), `part "last_messages:0": write`)
	f("", parts("last_messages:1001"), `part "last_messages:1001": write`)
	f("", parts("last_messages:x"), `part "last_messages:x": write`)
	f("", parts("attr"), `part "attr": write attr:NAME`)
	f("", parts("attr:"), `part "attr:": write attr:NAME`)
	f("", parts("model:x"), `part "model:x" takes nothing behind a colon`)
	f("tool-call", parts("model"), "either a name or parts, not both")
	f("tool-calls", Options{}, `no identity is called "tool-calls"; there are tool-call, `)
	f("prompt", Options{Mask: []string{"x"}}, `no mask is called "x"`)
	// Options that mean nothing to an identity are refused, not ignored.
	refused := func(name string, o Options, want string) {
		t.Helper()
		var option *OptionError
		if _, err := New(name, o); !errors.As(err, &option) || option.Option != want {
			t.Errorf("%s: %v, want %s refused", name, err, want)
		}
	}
	for _, k := range Kinds {
		if k.Name != "fairvisor" {
			refused(k.Name, Options{LimitKeys: []string{"a"}}, "limit_keys")
			refused(k.Name, Options{IgnoreBody: true}, "body_hash")
		}
	}
	for _, name := range []string{"fairvisor", "aisg", "openrouter", "tool-call-python", "session-model-tools"} {
		refused(name, Options{Mask: []string{"hex"}}, "mask")
		refused(name, Options{Lower: true}, "normalize")
	}
}

// Absent and empty are different things.
func TestAbsentIsNotEmpty(t *testing.T) {
	f := func(part string, missing Cause, empty string) {
		t.Helper()
		id := mustNew(t, "", Options{Parts: []string{part}})
		wantCanonicals(t, id, blank(), notComputable(missing))
		wantCanonicals(t, id, request(t, part, ""), `[["`+part+`",`+empty+`]]`)
	}
	f("method", NoMethod, `""`)
	f("path", NoPath, `""`)
	f("query", NoQuery, `{}`)
	f("body", NoBody, `""`)
	f("caller", NoCaller, `""`)
	f("user", NoUser, `""`)
	f("model", NoModel, `""`)
	f("backend", NoBackend, `""`)
	f("session", NoSession, `""`)
	f("attr:x", NoAttribute, `""`)
}

// A log without callers is no reason to see no loop in a session. With neither,
// strangers would be taken for one.
func TestLastMessagesWithoutCaller(t *testing.T) {
	id := mustNew(t, "last-messages", Options{})
	f := func(want string, members ...string) {
		t.Helper()
		wantCanonicals(t, id, request(t, members...), want)
	}
	const messages = `[{"role":"user","content":"hi"}]`
	f(`[["caller",null],["model","m"],["last_messages:3",[{"role":"user","text":"hi"}]]]`, "model", "m", "messages", messages, "session", "s")
	wantCanonicals(t, id, request(t, "model", "m", "messages", messages), notComputable(NoCaller))
}
