package window

// usage is what requests have used, as far as the log says. It is in whole
// numbers, so that sums are exact and do not depend on their order.
type usage struct {
	tokens int64 // prompt and completion
	cost   USD
}

// Tokens are those of prompt and completion together, as far as they are known: 0 if
// neither is.
func (ev *Event) Tokens() (n int64, known bool) {
	return max(ev.TokensIn, 0) + max(ev.TokensOut, 0), ev.TokensIn >= 0 || ev.TokensOut >= 0
}

func usageOf(ev *Event) usage {
	tokens, _ := ev.Tokens()
	return usage{tokens, USD(0).Plus(ev.Cost)}
}

// add adds v so many times.
func (u *usage) add(v usage, times int64) {
	u.tokens += times * v.tokens
	u.cost = u.cost.add(USD(times) * v.cost)
}

// amount is so many requests or episodes, and what they used.
type amount struct {
	n int64
	usage
}

func (a *amount) add(u usage) {
	a.n++
	a.usage.add(u, 1)
}

func (a *amount) plus(b amount) {
	a.n += b.n
	a.usage.add(b.usage, 1)
}
