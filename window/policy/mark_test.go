package policy

import (
	"strings"
	"testing"
)

// Editors of Windows put a byte order mark in front of a text.
func TestByteOrderMark(t *testing.T) {
	const own = "version: 1\nrules:\n  - name: a\n    profile: aisg\n"
	p, err := Parse("policy.yaml", []byte("\ufeff"+own))
	if err != nil || p.Hash != parse(t, own).Hash {
		t.Errorf("a policy: %v, %v", p, err)
	}
	if got, err := Format("policy.yaml", []byte("\ufeff"+own)); err != nil || string(got) != own {
		t.Errorf("formatted: %q, %v", got, err)
	}
	if got, err := NewStrict("f.yaml", []byte("\ufeff"+own), "file", "rules", "").Replace("version", "version: 2\n"); err != nil || string(got) != "\ufeff"+strings.Replace(own, "1", "2", 1) {
		t.Errorf("rewritten: %q, %v", got, err)
	}
	for name, own := range map[string]string{
		"fairvisor": `{"bundle_version": 1, "policies": [{"id": "a", "spec": {"selector": {"pathPrefix": "/"}, "rules": [], "loop_detection": {"enabled": true, "window_seconds": 60, "threshold_identical_requests": 4}}}]}`,
		"aisg":      "LOOP_GUARD_MAX_HITS=5\n",
		"zelyx":     `{"threshold": 9}`,
	} {
		want, _, err := gateway(t, name).Import(Settings{"f", []byte(own)})
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := gateway(t, name).Import(Settings{"f", []byte("\ufeff" + own)})
		if err != nil || string(got) != string(want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, want)
		}
	}
}
