package fingerprint

import (
	"slices"
	"strings"
	"testing"
)

// scopeOf is the key of r in the scope of fields, with what may be shown.
func scopeOf(tb testing.TB, w *Writer, r *Request, fields ...string) (ScopeKey, []string, Cause) {
	tb.Helper()
	s, err := NewScope(fields)
	must(tb, err)
	key, values, cause := s.Compute(r, w, nil)
	var shown []string
	for _, v := range values {
		text := string(v.Text)
		if v.FellBack {
			text += " (fell back)"
		}
		shown = append(shown, text)
	}
	return key, shown, cause
}

func TestScope(t *testing.T) {
	w := NewWriter(nil)
	all := []string{"method", "GET", "path", "/p", "caller", "sk-secret", "user", "u", "model", "m", "backend", "b", "session", "s", "attr:header:x", "h"}
	f := func(fields string, want ...string) {
		t.Helper()
		_, shown, cause := scopeOf(t, w, request(t, all...), strings.Fields(fields)...)
		if cause != Computable || !slices.Equal(shown, want) {
			t.Errorf("%s: %q, %v; want %q", fields, shown, cause, want)
		}
	}
	f("")
	f("session", "s")
	f("conversation", "s")
	f("method path user model backend", "GET", "/p", "u", "m", "b")
	f("attr:header:x session", "h", "s")
	f("caller", "key-746b4ad1ca91")

	// One counter for all, whatever the request.
	a, _, _ := scopeOf(t, w, request(t, all...))
	if b, _, cause := scopeOf(t, w, blank()); cause != Computable || a != b {
		t.Error("the empty scope differs")
	}
	// Values do not run into each other.
	a, _, _ = scopeOf(t, w, request(t, "user", "ab", "model", "c"), "user", "model")
	if b, _, _ := scopeOf(t, w, request(t, "user", "a", "model", "bc"), "user", "model"); a == b {
		t.Error("ab+c is a+bc")
	}

	missing := func(field string, want Cause, members ...string) {
		t.Helper()
		if _, shown, cause := scopeOf(t, w, request(t, members...), field); cause != want || len(shown) > 0 {
			t.Errorf("%s: %v, %q; want %v", field, cause, shown, want)
		}
	}
	causes := map[string]Cause{
		"session": NoSession, "conversation": NoConversation, "caller": NoCaller, "user": NoUser, "model": NoModel,
		"backend": NoBackend, "method": NoMethod, "path": NoPath, "attr:NAME": NoAttribute,
	}
	for _, name := range ScopeNames() {
		want, ok := causes[name]
		if !ok {
			t.Errorf("%s: no case", name)
		}
		missing(name, want)
		if name != "conversation" {
			missing(name, want, name, "") // empty would put strangers into one counter
		}
	}
	missing("conversation", NoConversation, "session", "", "messages", "[]")

	bad := func(want string, fields ...string) {
		t.Helper()
		if _, err := NewScope(fields); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", fields, err, want)
		}
	}
	bad(`field "user" is there twice`, "user", "user")
	bad(`no request field is called "attr:"`, "attr:")
	bad(`no request field is called "attr"`, "attr")
	bad(`no request field is called "Session"`, "Session")
}

func TestConversation(t *testing.T) {
	w := NewWriter(nil)
	key := func(members ...string) ScopeKey {
		t.Helper()
		k, shown, cause := scopeOf(t, w, request(t, members...), "conversation")
		if cause != Computable || len(shown) != 1 {
			t.Fatalf("%v, %q", cause, shown)
		}
		if (request(t, members...).Session == nil) != strings.HasSuffix(shown[0], " (fell back)") {
			t.Errorf("%q", shown)
		}
		return k
	}
	base := []string{"caller", "c", "messages", `[{"role":"system","content":"s"},{"role":"user","content":"q"}]`}
	want := key(base...)
	same := func(members ...string) {
		t.Helper()
		if key(members...) != want {
			t.Errorf("%q is another conversation", members)
		}
	}
	other := func(members ...string) {
		t.Helper()
		if key(members...) == want {
			t.Errorf("%q is the same conversation", members)
		}
	}
	same("caller", "c", "messages", `[{"role":"system","content":" s "},{"content":[{"type":"text","text":"q"}],"role":"user"},{"role":"assistant","content":"a"},{"role":"user","content":"more"}]`)
	same("caller", "c", "model", "m", "path", "/x", "messages", `[{"role":"system","content":"s"},{"role":"user","content":"q"},{"role":"system","content":"late"}]`)
	other("caller", "d", "messages", base[3])
	// Two users who ask the same are two, but for what stands for any.
	other(append(base, "user", "u")...)
	if key(append(base, "user", "u")...) == key(append(base, "user", "v")...) {
		t.Error("users do not count")
	}
	same(append(base, "user", "")...)
	same(append(base, "user", "[REDACTED]")...)
	other("messages", base[3], "user", "c") // a user is no caller
	other("messages", base[3])
	other("caller", "c", "messages", strings.Replace(base[3], `"q"`, `"Q"`, 1))
	other("caller", "c", "messages", strings.Replace(base[3], `"s"`, `"S"`, 1))
	other("caller", "c", "messages", `[{"role":"user","content":"q"}]`)
	other("caller", "c", "system", `"s"`, "messages", base[3])
	other(append(base, "session", "x")...)
	// With a session nothing else counts.
	if key(append(base, "session", "x")...) != key("session", "x") {
		t.Error("the session does not win")
	}
	// Agents that share a session go on side by side; the main one has no name, or
	// the session's.
	subagent := []string{"session", "a", "agent", "b"}
	if _, shown, _ := scopeOf(t, w, request(t, subagent...), "conversation"); shown[0] != "a/b" {
		t.Errorf("%q", shown)
	}
	for _, o := range [][]string{{"session", "a"}, {"session", "a", "agent", "c"}, {"session", "a/b"}, {"session", "a", "agent", "b/"}} {
		if key(o...) == key(subagent...) {
			t.Errorf("%q is the conversation of %q", o, subagent)
		}
	}
	for _, none := range []string{"", "-", "null", "a"} {
		if key("session", "a", "agent", none) != key("session", "a") {
			t.Errorf("%q is an agent", none)
		}
	}
	same(append(base, "agent", "b")...)
	k1, _, _ := scopeOf(t, w, request(t, subagent...), "session")
	if k2, _, _ := scopeOf(t, w, request(t, "session", "a"), "session"); k1 != k2 {
		t.Error("the agent is part of the session")
	}
	// What stands for none is no session, wherever a policy had it looked for.
	for _, none := range []string{"null", "-", "[REDACTED]"} {
		if k, shown, _ := scopeOf(t, w, request(t, append(base, "session", none)...), "conversation"); k != want || !strings.HasSuffix(shown[0], " (fell back)") {
			t.Errorf("%s is a session: %q", none, shown)
		}
	}
	// Anthropic's system prompt stands outside the list.
	if key("system", `"s"`, "messages", `["q"]`) == key("system", `"z"`, "messages", `["q"]`) {
		t.Error("the system prompt does not count")
	}
	// The same, whatever identity the Writer computed before.
	for _, o := range []Options{{Lower: true}, {Mask: []string{"numbers"}}} {
		r := request(t, "messages", `["Call 7"]`)
		before, _, _ := scopeOf(t, NewWriter(nil), r, "conversation")
		o.Parts = []string{"messages"}
		mustNew(t, "", o).Compute(r, w)
		if after, _, _ := scopeOf(t, w, r, "conversation"); after != before {
			t.Errorf("%v of an identity leaks into the scope", o)
		}
	}
	// What is shown of it is a hash of a prompt: with a key, it is keyed.
	r := request(t, base...)
	_, plain, _ := scopeOf(t, w, r, "conversation")
	_, keyed, _ := scopeOf(t, NewWriter([]byte("k")), r, "conversation")
	if len(plain[0]) != len("conv-0123456789ab (fell back)") || len(keyed[0]) != len(plain[0]) || keyed[0] == plain[0] {
		t.Errorf("%q, with a key %q", plain, keyed)
	}
	// Of a beginning some of whose system prompts are hidden the rest tells.
	for _, begins := range [][]string{
		{"messages", `[{"role":"system","content":"SYSTEM"},{"role":"user","content":"USER"}]`},
		{"messages", `[{"role":"system","content":"USER"},{"role":"system","content":"SYSTEM"},{"role":"user","content":"q"}]`},
		{"system", `"SYSTEM"`, "messages", `["USER"]`},
		{"system", `[{"type":"text","text":"SYSTEM"}]`, "messages", `["USER"]`},
	} {
		of := func(system, user string) ScopeKey {
			var members []string
			for _, text := range begins {
				members = append(members, strings.NewReplacer("SYSTEM", system, "USER", user).Replace(text))
			}
			key, _, cause := scopeOf(t, w, request(t, members...), "conversation")
			if cause != Computable {
				t.Errorf("%q: %v", members, cause)
			}
			return key
		}
		if hidden := of("[REDACTED]", "a"); hidden == of("[REDACTED]", "b") || hidden != of("<redacted>", "a") || hidden == of("be kind", "a") {
			t.Errorf("%q: a hidden system prompt tells conversations, or hides what does", begins)
		}
	}
	// Broken beginnings have a cause.
	for messages, cause := range map[string]Cause{
		`[{"role":"user","content":"\q"}]`:                                     BrokenJSON,
		`[{"role":"user","content":"redacted-by-litellm"}]`:                    RedactedContent,
		`[{"role":"user","content":[{"u":"[base64_data truncated: 1.0KB]"}]}]`: TruncatedContent,
	} {
		if _, _, got := scopeOf(t, w, request(t, "messages", messages), "conversation"); got != cause {
			t.Errorf("%s: %v, want %v", messages, got, cause)
		}
	}
}

func TestCallerName(t *testing.T) {
	f := func(caller string, isName bool, want string) {
		t.Helper()
		r := blank()
		if caller != "nil" {
			r.Caller = []byte(caller)
		}
		r.CallerIsName = isName
		if got := string(r.CallerName(NewWriter(nil))); got != want {
			t.Errorf("%q: %q, want %q", caller, got, want)
		}
	}
	sha := strings.Repeat("0123456789abcdef", 4)
	f("nil", false, "")
	f("", false, "")
	f("sk-secret", false, "key-746b4ad1ca91")
	f("team-a", true, "team-a")
	f("10.0.0.1", true, "10.0.0.1")
	f(sha, false, sha)
	f(strings.ToUpper(sha), false, strings.ToUpper(sha))
	f(sha+sha, false, sha+sha)
	// Keys of some providers are shorter hex: they are not taken for hashes.
	f(sha[:32], false, "key-3eb1bd439947")
	f(sha[:40], false, "key-deb87fabd177")
	f("g"+sha[1:], false, "key-afa491d58a3a")
}
