package policy

import (
	"testing"

	"pgregory.net/rapid"
)

// FuzzImport: no text makes an import panic; what is imported is a policy, and
// what can be exported of it is imported as it was.
func FuzzImport(f *testing.F) {
	for i := range Gateways {
		g := &Gateways[i]
		f.Add(i, rapid.Custom(settingsOf[g.Name]).Example(1))
		f.Add(i, rapid.Custom(settingsOf[g.Name]).Example(2))
	}
	f.Add(2, "model_defaults:\n  'b:m': {tool_loop_detection_ttl_seconds: 9223372036854775807}\n")
	f.Fuzz(func(t *testing.T, which int, text string) {
		if len(text) > 1<<12 {
			return // only slower
		}
		g := &Gateways[uint(which)%uint(len(Gateways))]
		policy, _, err := g.Import("own", []byte(text))
		if err != nil {
			return
		}
		if _, errs := readDraft("p", policy); len(errs) > 0 {
			t.Fatalf("%s\nis imported as\n%s\nwhich is no policy: %v", text, policy, errs)
		}
		own, _, err := g.Export("p", policy, "")
		if err != nil {
			return // several rules, of which the gateway has one
		}
		again, _, err := g.Import("own", own)
		if err != nil || string(again) != string(policy) {
			t.Fatalf("%v: imported\n%s\nexported\n%s\nimported\n%s", err, policy, own, again)
		}
	})
}
