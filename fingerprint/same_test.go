package fingerprint

import "testing"

func TestSame(t *testing.T) {
	f := func(name string, o Options, otherName string, other Options, want bool) {
		t.Helper()
		a := mustNew(t, name, o)
		b := mustNew(t, otherName, other)
		if a.Same(b) != want || b.Same(a) != want {
			t.Errorf("%s %v and %s %v: Same is not %t", name, o, otherName, other, want)
		}
	}
	f("aisg", Options{}, "aisg", Options{}, true)
	f("aisg", Options{}, "prompt", Options{}, false)
	f("fairvisor", Options{}, "fairvisor", Options{IgnoreBody: true}, false)
	f("fairvisor", Options{LimitKeys: []string{"a b"}}, "fairvisor", Options{LimitKeys: []string{"a", "b"}}, false)
	f("", Options{Parts: []string{"model"}}, "", Options{Parts: []string{"model"}}, true)
	f("", Options{Parts: []string{"model"}}, "", Options{Parts: []string{"caller"}}, false)
	f("", Options{Parts: []string{"model", "last_messages:02", "caller"}}, "", Options{Parts: []string{"caller", "model", "last_messages:2"}}, true)
	f("fairvisor", Options{LimitKeys: []string{"b", "a", "b"}}, "fairvisor", Options{LimitKeys: []string{"a", "b"}}, true)
	f("fairvisor", Options{LimitKeys: []string{}}, "fairvisor", Options{}, false)
	f("prompt", Options{Mask: []string{"numbers", "uuids", "numbers"}}, "prompt", Options{Mask: []string{"uuids", "numbers"}}, true)
	f("prompt", Options{Lower: true}, "prompt", Options{}, false)
	f("prompt", Options{Mask: []string{"numbers"}}, "prompt", Options{Mask: []string{"uuids"}}, false)
}
