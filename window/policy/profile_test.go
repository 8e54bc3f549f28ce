package policy

import (
	"fmt"
	"testing"
)

// TestProfileRulesAreCopies: what a policy does to the rules of a profile does
// not change the profile for the next.
func TestProfileRulesAreCopies(t *testing.T) {
	for _, name := range ProfileNames() {
		tell := func() (text string) {
			for _, rule := range readProfile(name).rules {
				text += fmt.Sprintf("%+v\n", *rule)
			}
			return text
		}
		was := tell()
		rules, err := profileRules(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range rules {
			for _, list := range [][]string{rule.parts, rule.mask, rule.limitKeys, rule.scope} {
				for i := range list {
					list[i] = "changed"
				}
			}
			for i := range rule.overrides {
				rule.overrides[i].threshold = 99
			}
			rule.name = "changed"
		}
		if is := tell(); is != was {
			t.Errorf("%s: %s\nwas %s", name, is, was)
		}
	}
}
