package fingerprint

import (
	"fmt"
	"strings"
	"testing"
)

// No descriptors are not all of them.
func TestFairvisorLimitKeys(t *testing.T) {
	r := &Request{Method: []byte("POST"), Path: []byte("/v1"), Attributes: []Attribute{{Name: []byte("header:a"), Value: []byte("1")}, {Name: []byte("header:b"), Value: []byte("2")}}}
	f := func(keys []string, want string) *Identity {
		t.Helper()
		id := mustNew(t, "fairvisor", Options{LimitKeys: keys})
		w := &Writer{Keep: true}
		if cause := id.Compute(r, w); cause != Computable {
			t.Fatal(cause)
		}
		if got := string(w.Prints()[0].Canonical); got != want {
			t.Errorf("limit keys %q: %s, want %s", keys, got, want)
		}
		return id
	}
	all := f(nil, "POST|/v1|header:a=1|header:b=2")
	none := f([]string{}, "POST|/v1")
	f([]string{"header:b"}, "POST|/v1|header:b=2")
	for _, name := range []string{"header:X_Request-ID", "bytes_sent", "metadata.user_id"} { // nothing that anybody limits by
		r.Attributes = append(r.Attributes, Attribute{Name: []byte(name), Value: []byte("1")})
	}
	f(nil, "POST|/v1|header:a=1|header:b=2")
	if all.Same(none) {
		t.Error("none and all are the same")
	}
}

// TestFairvisorDescriptors: headers are found whatever their case and dashes, names
// of the query without being logged apart; a value that is empty is missing.
func TestFairvisorDescriptors(t *testing.T) {
	r := &Request{Method: []byte("GET"), Path: []byte("/v1"), Query: Query{Raw: []byte("tenant=a&empty=&bare")}, Attributes: []Attribute{
		{Name: []byte("header:x_api-key"), Value: []byte("alice")}, {Name: []byte("header:x-none"), Value: []byte{}},
	}}
	id := mustNew(t, "fairvisor", Options{LimitKeys: []string{"query:tenant", "header:X-API-Key", "header:X-API-Key", "header:x-none", "query:empty", "query:bare", "header:other"}})
	w := &Writer{Keep: true}
	if cause := id.Compute(r, w); cause != Computable {
		t.Fatal(cause)
	}
	if got, want := string(w.Prints()[0].Canonical), "GET|/v1|bare=true|empty=|tenant=a|header:X-API-Key=alice|query:bare=true|query:tenant=a"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestFairvisorAddress: the address that a client called from is its caller where
// the log has no key.
func TestFairvisorAddress(t *testing.T) {
	id := mustNew(t, "fairvisor", Options{LimitKeys: []string{"ip:address", "ip:country"}})
	f := func(caller, attribute, want string) {
		t.Helper()
		r := &Request{Method: []byte("GET"), Path: []byte("/v1"), Caller: []byte(caller)}
		if attribute != "" {
			r.Attributes = []Attribute{{Name: []byte("ip:address"), Value: []byte(attribute)}}
		}
		if _, got := compute(t, id, r); got != "GET|/v1"+want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	f("10.0.0.1", "", "|ip:address=10.0.0.1")
	f("2001:db8::1", "", "|ip:address=2001:db8::1")
	f("::ffff:10.0.0.1", "", "|ip:address=::ffff:10.0.0.1")
	for _, name := range []string{"", "sk-1", "10.0.0.1:443", "a.b.c.d", "1.2.3", "team:eu:web", "::é", "ab:cd:ef:01:23:45:67:89:ab"} {
		f(name, "", "")
	}
	f("10.0.0.1", "192.0.2.7", "|ip:address=192.0.2.7")
}

// TestFairvisorArgs: nginx reads the first 100 names of a query. Parts without
// one are not counted, before or among them.
func TestFairvisorArgs(t *testing.T) {
	raw := "&=no&&"
	for i := range 101 {
		raw += fmt.Sprintf("n%03d=%d&", i, i)
	}
	id := mustNew(t, "fairvisor", Options{})
	w := &Writer{Keep: true}
	if cause := id.Compute(&Request{Method: []byte("GET"), Path: []byte("/v1"), Query: Query{Raw: []byte(raw)}}, w); cause != Computable {
		t.Fatal(cause)
	}
	if got := string(w.Prints()[0].Canonical); !strings.HasSuffix(got, "n099=99") {
		t.Error(got)
	}
}
