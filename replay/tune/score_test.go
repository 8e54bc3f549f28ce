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
	got, want := r.score(flagged), Score{TruePositive: 3, FalseNegative: 1, FalsePositive: 2, TrueNegative: 5}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if p, r, f1 := got.Precision(), got.Recall(), got.F1(); p != 3./5 || r != 3./4 || f1 != 6./9 {
		t.Errorf("precision %v, recall %v, F1 %v", p, r, f1)
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
	// All or nothing is exactly that.
	for n := 1; n < 1000; n++ {
		if low, _ := Interval(0, n); low != 0 {
			t.Errorf("Interval(0, %d) begins at %v", n, low)
		}
		if _, high := Interval(n, n); high != 1 {
			t.Errorf("Interval(%d, %[1]d) ends at %v", n, high)
		}
	}
}
