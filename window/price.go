package window

import (
	"math"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Price is USD per million tokens. Cached is for those of the prompt that the
// provider had in its cache.
type Price struct{ Input, Cached, Output float64 }

// Of is what so many tokens cost; cached are among those of the prompt. Numbers
// that are not known, which are negative, count for nothing.
func (p Price) Of(in, cached, out int64) float64 {
	in, out = max(in, 0), max(out, 0)
	cached = min(max(cached, 0), in)
	return (p.Input*float64(in-cached) + p.Cached*float64(cached) + p.Output*float64(out)) / 1e6
}

// SetPrice fills in the cost where the log has none; price is that of
// ExtractOptions. Which tokens came from a cache an event does not know.
func (ev *Event) SetPrice(price func(model string) (Price, bool)) {
	ev.setPrice(price, fingerprint.Unknown)
}

func (ev *Event) setPrice(price func(model string) (Price, bool), cached int64) {
	// Gateways write 0 for a model whose price they do not know.
	if !ev.Unpriced() && (ev.Cost != 0 || ev.Cached == fingerprint.Yes) {
		return
	}
	if p, ok := price(ev.Model); ok {
		ev.Cost = p.Of(ev.TokensIn, cached, ev.TokensOut)
	}
}

// Unpriced tells that the event has tokens and no cost.
func (ev *Event) Unpriced() bool {
	_, used := ev.Tokens()
	return math.IsNaN(ev.Cost) && used
}
