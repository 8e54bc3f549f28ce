package policy

import (
	"slices"
	"testing"
)

// Whatever is shipped otherwise than documented says both.
func TestDifferences(t *testing.T) {
	for _, p := range Profiles() {
		var of []string
		for _, d := range p.Differences {
			if of = append(of, d.Of); d.Of == "" || d.Shipped == "" || d.Documented == "" {
				t.Errorf("%s: %+v lacks something", p.Name, d)
			}
			if _, err := p.AsDocumented(d); err != nil {
				t.Errorf("%s: %v", p.Name, err)
			}
		}
		if len(of) > 0 && p.Reading != "as shipped" {
			t.Errorf("%s is %s and has differences", p.Name, p.Reading)
		}
		if want := []string{"window", "body", "counter", "query", "shadow", "limits"}; p.Name == "fairvisor" && !slices.Equal(of, want) {
			t.Errorf("fairvisor differs in %v, want %v", of, want)
		}
	}
}
