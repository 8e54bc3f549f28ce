package fingerprint

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// tester is a testing.TB or a rapid.T, which has not all of its methods.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// request makes a request of members: name, value, name, value. A name is a
// field, messages or response (lists in JSON, as logged), or attr:NAME.
func request(tb tester, members ...string) *Request {
	tb.Helper()
	r := blank()
	for i := 0; i < len(members); i += 2 {
		value := []byte(members[i+1])
		switch name := members[i]; name {
		case "method":
			r.Method = value
		case "path":
			r.Path = value
		case "query":
			r.Query.Raw = value
		case "query_object":
			r.Query.Object = value
		case "body":
			r.Body = value
		case "body_hash":
			r.BodyHash = value
		case "caller":
			r.Caller = value
		case "user":
			r.User = value
		case "model":
			r.Model = value
		case "backend":
			r.Backend = value
		case "session":
			r.Session = value
		case "agent":
			r.Agent = value
		case "status":
			r.Status, _ = strconv.Atoi(members[i+1])
		case "system":
			r.Messages.System = value
		case "digest":
			r.Messages.Digest = value
		case "has_tools":
			r.HasTools = TriOf(members[i+1] == "true")
		case "messages":
			r.Messages.Logged, r.Messages.Items = true, elements(tb, members[i+1])
		case "response":
			// Calls as name, arguments, name, arguments.
			r.ToolCallsLogged = true
			for part := range slices.Chunk(strings.Fields(members[i+1]), 2) {
				r.ToolCalls = append(r.ToolCalls, ToolCall{Name: []byte(part[0]), Arguments: []byte(part[1])})
			}
		default:
			attribute, ok := strings.CutPrefix(name, attrPrefix)
			if !ok {
				tb.Fatalf("no member %q", name)
			}
			r.Attributes = append(r.Attributes, Attribute{[]byte(attribute), value})
		}
	}
	return r
}

func elements(tb tester, list string) (items []rawjson.Value) {
	tb.Helper()
	var s rawjson.Scanner
	s.Reset([]byte(list))
	for s.Array(); s.NextElement(); {
		items = append(items, s.Value())
	}
	if err := s.End(); err != nil {
		tb.Fatalf("%s: %v", list, err)
	}
	return items
}

func mustNew(tb tester, name string, o Options) *Identity {
	tb.Helper()
	id, err := New(name, o)
	must(tb, err)
	return id
}

func must(tb tester, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatalf("%v", err)
	}
}

// canonicals are the canonical texts of r by id, or the cause for none.
func canonicals(id *Identity, r *Request) []string {
	w := NewWriter(nil)
	w.Keep = true
	if cause := id.Compute(r, w); cause != Computable {
		return []string{"not computable: " + cause.String()}
	}
	var texts []string
	for _, p := range w.Prints() {
		texts = append(texts, string(p.Canonical))
	}
	return texts
}

func wantCanonicals(tb testing.TB, id *Identity, r *Request, want ...string) {
	tb.Helper()
	if got := canonicals(id, r); !slices.Equal(got, want) {
		tb.Errorf("%s:\n got %s\nwant %s", id.Name, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

func notComputable(c Cause) string { return "not computable: " + c.String() }

// hostile runs f at a size at which quadratic work would not end before the
// test's timeout does.
func hostile(tb testing.TB, f func(size int)) {
	tb.Helper()
	size := 100_000
	if testing.Short() {
		size = 1000
	}
	f(size)
}

// gatewaysTellApart: gateways hash what was sent, in which messages differ that say
// the same.
func gatewaysTellApart(t *testing.T, a, b string) {
	t.Helper()
	for _, name := range []string{"aisg", "request"} {
		got := map[string]bool{}
		for _, m := range []string{a, b} {
			got[canonicals(mustNew(t, name, Options{}), request(t, "method", "POST", "path", "/", "caller", "c", "model", "m", "messages", m, "body", m))[0]] = true
		}
		if len(got) != 2 {
			t.Errorf("%s takes something from what was sent: %s and %s are one", name, a, b)
		}
	}
}
