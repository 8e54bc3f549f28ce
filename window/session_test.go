package window

import (
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

func TestNameSession(t *testing.T) {
	f := func(places, want string) {
		t.Helper()
		var r fingerprint.Request
		r.Reset()
		r.Session = []byte("own")
		for _, a := range []string{"header:X-Team=t", "header:x-empty=", "prompt_cache_key=k"} {
			name, value, _ := strings.Cut(a, "=")
			r.Attributes = append(r.Attributes, fingerprint.Attribute{Name: []byte(name), Value: []byte(value)})
		}
		o := ExtractOptions{Sessions: strings.Fields(places)}
		if places == "" {
			o.Sessions = nil
		}
		o.nameSession(&r)
		if string(r.Session) != want {
			t.Errorf("[%s]: %q, want %q", places, r.Session, want)
		}
		if reads := o.Reads()&fingerprint.ReadsAttributes != 0; reads != (places != "" && places != LogSession) {
			t.Errorf("[%s]: attributes read: %t", places, reads)
		}
	}
	f("", "own")
	f("log", "own")
	f("header:x-team log", "t")
	f("log header:x-team", "own")
	f("header:x-empty header:x-none prompt_cache_key", "k") // empty says nothing
	f("Prompt_Cache_Key", "")                               // not a header
	f("header:x-none", "")
}
