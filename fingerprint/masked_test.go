package fingerprint

import (
	"slices"
	"testing"
)

func TestMasked(t *testing.T) {
	id, err := New("", Options{Parts: []string{"body"}, Mask: []string{"numbers", "uuids"}})
	if err != nil {
		t.Fatal(err)
	}
	f := func(body string, want ...Masked) {
		t.Helper()
		got := id.Masked(&Request{Body: []byte(body)})
		if len(got) != 1 || !slices.Equal(got[0], want) {
			t.Errorf("%q: %v, want %v", body, got, want)
		}
	}
	f("nothing", Masked{"uuids", 0}, Masked{"numbers", 0})
	f("12 and 13", Masked{"uuids", 0}, Masked{"numbers", 2})
	f("123e4567-e89b-12d3-a456-426614174000 7", Masked{"uuids", 1}, Masked{"numbers", 1})
	// What looks like a placeholder was not put there by a mask.
	f("<number> 5 <uuid>", Masked{"uuids", 0}, Masked{"numbers", 1})
	if got := id.Masked(&Request{}); len(got) != 0 {
		t.Errorf("no body: %v, want none", got)
	}
}
