package wrap

import "testing"

// TestConsoleNames: what stands in front is the name of a container, before JSON of a
// program; a bar may be a log's own.
func TestConsoleNames(t *testing.T) {
	f := func(line, want string) {
		t.Helper()
		const none = "! expected the name of a container in front"
		got := unwrapped(console{}, line)
		if got == none {
			got = ""
		}
		if got != want {
			t.Errorf("%s gives %q, want %q", line, got, want)
		}
	}
	f("gateway-1  | a", "a")
	f("my_gw.Web-1 | a | b", "a | b")
	f("\x1b[36mgateway-1 | \x1b[0ma", "a")
	f("\x1b[1;36mgateway-1 | a", "a")
	f("\x1b[36xgateway-1 | a", "")
	f("10:00:00 web.1  | a", "a")
	f("\x1b[36m10:00:00 web.1  | \x1b[0ma", "a")
	f("10:00:00 | a", "")
	f("10:00:00 a b | c", "")
	f("gateway-1| a", "")
	f("gateway-1 |a", "")
	f(" | a", "")
	f("A b | c", "")
	f(`{"a":1} | c`, "")
	f("2026-11-21T10:00:00Z | POST | /v1", "")
	f("-x | a", "")
	f("[pod/gw/nginx] a", "a")
	f("[pod/gw/nginx]a", "")
	f(`gw-1 nginx {"a":1}`, `{"a":1}`)
	f(`app[web.1]: {"a":1}`, `{"a":1}`)
	f(`app[1] fra [info]{"a":1}`, `{"a":1}`)
	for line, want := range map[string]bool{
		"gateway-1 | a": true, "a b c": false, `a b {"c":1}`: true, `a b [{"c":1}]`: true, `a {"c":1}`: false,
	} {
		if detectConsole([]byte(line)) != want {
			t.Errorf("%s is told: %t", line, !want)
		}
	}
}
