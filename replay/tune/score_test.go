package tune

import (
	"strings"
	"testing"
)

// Sessions are flagged or not, and loops or not.
func TestScore(t *testing.T) {
	r, flagged := &Report{Options: Options{Labels: Labels{}}}, map[string]bool{}
	for _, who := range "abcdEFGHIJK" {
		r.Options.Labels[string(who)] = who >= 'a'
		flagged[string(who)] = strings.ContainsRune("abcEF", who)
	}
	if got, want := r.score(flagged), (Score{TruePositive: 3, FalseNegative: 1, FalsePositive: 2, TrueNegative: 5}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestInterval(t *testing.T) {
	f := func(part, whole int, low, high float64) {
		t.Helper()
		l, h := Interval(part, whole)
		if diff := max(l-low, low-l, h-high, high-h); diff > 0.0005 {
			t.Errorf("Interval(%d, %d) = %.4f, %.4f, want %.4f, %.4f", part, whole, l, h, low, high)
		}
	}
	// Wilson's interval at 95 %, as R's binom.confint(method = "wilson") has it.
	f(0, 0, 0, 1)
	f(7, 7, 0.6457, 1)
	f(0, 10, 0, 0.2775)
	f(5, 10, 0.2366, 0.7634)
	f(90, 100, 0.8256, 0.9448)
}
