package fingerprint

import "testing"

// No descriptors are not all of them.
func TestFairvisorLimitKeys(t *testing.T) {
	r := &Request{Method: []byte("POST"), Path: []byte("/v1"), Attributes: []Attribute{{Name: []byte("header:a"), Value: []byte("1")}, {Name: []byte("header:b"), Value: []byte("2")}}}
	f := func(keys []string, want string) *Identity {
		t.Helper()
		id, err := New("fairvisor", Options{LimitKeys: keys})
		if err != nil {
			t.Fatal(err)
		}
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
	if all.Same(none) {
		t.Error("none and all are the same")
	}
}
