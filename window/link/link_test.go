package link

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/window"
)

func TestNew(t *testing.T) {
	f := func(template, want string, at int) {
		t.Helper()
		_, err := New("l", template)
		got, wrong := "", &Error{}
		if errors.As(err, &wrong) {
			got = wrong.What
		}
		if !strings.Contains(got, want) || want == "" && err != nil || wrong.At != at {
			t.Errorf("%s: %q at %d, want %q at %d", template, got, wrong.At, want, at)
		}
	}
	f("https://a.example", "", 0)
	f("https://a.example/{{id}}?s={{ session }}", "", 0)
	f("https://a.example?s={{session}}", "", 0)
	f("https://a.example#{{session}}", "", 0)
	f("https://a.example#/discover?q={{session}}", "", 0)
	f("https://a.example/{{id}}/{{sesion}}", `no placeholder is called "sesion"; there are id, rule`, 25)
	f("https://a.example/{{id}", "not closed", 18)
	f("https://a.example{{id}}", "in the host's name", 17)
	f("https://{{id}}/", "and a host", 0)
	f("http://a.example", "", 0)
	f("ftp://a.example", "must begin with", 0)
	f("https://a b", "must begin with", 0)
	f("javascript:alert(1)", "must begin with", 0)
	f("", "must begin with", 0)
}

// TestFor: a value is all of a parameter, and nothing else, whatever it is.
func TestFor(t *testing.T) {
	in := &window.Incident{ID: "ep-1", Session: "a b&c=d#e/../f", First: 1777888000_123456, Kind: window.Stuck}
	l, err := New("l", "https://a.example/x?s={{session}}&from={{first_ms}}&at={{first}}&kind={{kind}}")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := l.For(in), "https://a.example/x?s=a%20b%26c%3Dd%23e%2F..%2Ff&from=1777888000123&at=2026-05-04T09%3A46%3A40.123456Z&kind=stuck"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		in := &window.Incident{Session: rapid.String().Draw(t, "session")}
		u, err := url.Parse(l.For(in))
		if err != nil || u.Host != "a.example" || u.Path != "/x" || u.Fragment != "" || u.Query().Get("s") != in.Session || len(u.Query()) != 4 {
			t.Fatalf("%q: %v, %v", in.Session, u, err)
		}
	})
}
