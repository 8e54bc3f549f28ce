package replay

import (
	"fmt"
	"testing"

	"github.com/loopgauge/loopgauge/window"
)

// TestUnpricedAmongNames: names that clients made up, which nothing was used of, take the
// place of no model that was.
func TestUnpricedAmongNames(t *testing.T) {
	u := unpriced{models: map[string]*costs{}}
	for i := range maxUnpriced {
		u.note(&window.Event{Model: fmt.Sprint("no-such-model-", i), Status: 404})
	}
	u.note(&window.Event{Model: "paid", TokensIn: 10, Cost: 0.5})
	u.note(&window.Event{Model: "tuned", TokensIn: 10})
	if got := UnpricedText(u.list()); got != "without a price, and in no sum: tuned (1 request, 10 tokens)" {
		t.Error(got)
	}
}
