package replay

import (
	"fmt"

	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// Account says where every line went.
type Account struct {
	Lines     int64 `json:"lines"`     // a line counts once for each request in it
	Judged    int64 `json:"judged"`    // seen by the rules
	Blank     int64 `json:"blank"`     // no request begins in it
	Malformed int64 `json:"malformed"` // not readable as its format, or without a time
	Duplicate int64 `json:"duplicate"` // a request id, or another span of the call, seen before within the horizon
	Late      int64 `json:"late"`      // further behind its stream than the lateness allows
	Excluded  int64 `json:"excluded"`  // taken out by the policy, --since or --until
}

// Fields are all counts, in the order in which a checkpoint holds them.
func (a *Account) Fields() []*int64 {
	return []*int64{&a.Lines, &a.Judged, &a.Blank, &a.Malformed, &a.Duplicate, &a.Late, &a.Excluded}
}

// Add adds another account.
func (a *Account) Add(b *Account) {
	to := a.Fields()
	for i, n := range b.Fields() {
		*to[i] += *n
	}
}

// Check says whether the account adds up. That it does not is a bug.
func (a Account) Check() error {
	if sum := a.Judged + a.Blank + a.Malformed + a.Duplicate + a.Late + a.Excluded; sum != a.Lines {
		return fmt.Errorf("the account does not add up: %d lines, %d accounted for: please report this", a.Lines, sum)
	}
	return nil
}

// ordered is how many requests were put into order, judged or not.
func (a Account) ordered() int64 { return a.Judged + a.Duplicate + a.Excluded }

// MostlyDuplicate says what there is to do where most requests count as ones
// that came before; empty where they do not. That gateways log each twice is
// common.
func (a Account) MostlyDuplicate() string {
	if 2*a.Duplicate <= a.ordered() {
		return ""
	}
	return term.Percent(a.Duplicate, a.ordered()) + " of the requests have the id of one shortly before, or are spans of its call, and are not judged: if that is no request's id, duplicates: 0s in a policy judges all"
}

// MuchMalformed says what follows where more than one in ten lines could not be read;
// empty where it does not. What cuts lines cuts the long ones: those of agents that
// have been at it for long.
func (a Account) MuchMalformed() string {
	lines := a.Lines - a.Blank
	if 10*a.Malformed <= lines {
		return ""
	}
	return term.Percent(a.Malformed, lines) + " of the lines could not be read: loops in them are not seen"
}

func (a Account) String() string {
	return fmt.Sprintf("%d lines = %d judged + %d blank + %d malformed + %d duplicate + %d late + %d excluded",
		a.Lines, a.Judged, a.Blank, a.Malformed, a.Duplicate, a.Late, a.Excluded)
}

func checkRules(a Account, rules []window.RuleAccount) error {
	for i := range rules {
		if err := rules[i].Check(); err != nil {
			return err
		}
		if judged := rules[i].Before + rules[i].Judged; judged != a.Judged {
			return fmt.Errorf("rule %s: judged %d of %d requests: please report this", rules[i].Rule.Name, judged, a.Judged)
		}
	}
	return nil
}
