package fingerprint

import "testing"

// TestLastMessagesAreSharedRightly: an identity says the same whether or not
// another with the same messages was computed before, of this request or of
// the one before it.
func TestLastMessagesAreSharedRightly(t *testing.T) {
	identities := []*Identity{
		mustNew(t, "last-messages", Options{}),
		mustNew(t, "", Options{Parts: []string{"last_messages:3"}}),
		mustNew(t, "", Options{Parts: []string{"last_messages:2"}}),
		mustNew(t, "", Options{Parts: []string{"last_messages:3"}, Lower: true}),
		mustNew(t, "", Options{Parts: []string{"last_messages:3"}, Mask: []string{"numbers"}}),
		mustNew(t, "", Options{Parts: []string{"model", "last_messages:3"}}),
		mustNew(t, "", Options{Parts: []string{"messages"}}),
	}
	requests := []*Request{
		request(t, "caller", "c", "model", "m", "messages", `[{"role":"user","content":"A 1"},{"role":"user","content":"B 2"},{"role":"user","content":"C 3"},{"role":"user","content":"D 4"}]`),
		request(t, "caller", "c", "model", "m", "messages", `[{"role":"user","content":"another"}]`),
		request(t, "caller", "c", "model", "m", "messages", `[{"role":"user","content":"broken \x"}]`),
		request(t, "caller", "c", "model", "m", "messages", `[]`),
	}
	shared := NewWriter(nil)
	for n := range 2 * len(requests) {
		r := requests[n%len(requests)]
		shared.Reset()
		for i := range identities {
			id := identities[(i+n)%len(identities)]
			from := len(shared.Prints())
			cause := id.Compute(r, shared)
			alone := NewWriter(nil)
			if want := id.Compute(r, alone); cause != want {
				t.Fatalf("request %d, %s: %v, alone %v", n, id.Name, cause, want)
			}
			got, want := shared.Prints()[from:], alone.Prints()
			if len(got) != len(want) || len(got) > 0 && got[0].Fingerprint != want[0].Fingerprint {
				t.Errorf("request %d, %s: another fingerprint than alone", n, id.Name)
			}
		}
	}
}
