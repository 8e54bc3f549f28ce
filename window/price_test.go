package window

import (
	"math"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// TestSetPrice: a cost that is logged counts, but for the 0 of gateways that do
// not know the model's price.
func TestSetPrice(t *testing.T) {
	f := func(model string, cost float64, cached fingerprint.Tri, want float64) {
		t.Helper()
		ev := Event{Model: model, TokensIn: 1_000_000, TokensOut: fingerprint.Unknown, Cost: cost, Cached: cached}
		ev.SetPrice(func(model string) (Price, bool) { return Price{Input: 2}, model == "priced" })
		if ev.Cost != want && !(math.IsNaN(ev.Cost) && math.IsNaN(want)) {
			t.Errorf("%s, %v, cached %v: %v, want %v", model, cost, cached, ev.Cost, want)
		}
	}
	f("priced", math.NaN(), fingerprint.NotLogged, 2)
	f("priced", 3, fingerprint.NotLogged, 3)
	f("priced", 0, fingerprint.NotLogged, 2)
	f("priced", 0, fingerprint.No, 2)
	f("priced", 0, fingerprint.Yes, 0)
	f("other", 0, fingerprint.No, 0)
	f("other", math.NaN(), fingerprint.No, math.NaN())
}
