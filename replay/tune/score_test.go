package tune

import (
	"slices"
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

// The sessions that the recommended rules get wrong are named; one that the log does
// not have is no miss of a rule.
func TestMisjudged(t *testing.T) {
	labels := Labels{"caught": true, "missed-2": true, "missed-1": true, "gone": true, "calm": false}
	wrong := []string{"flagged-1", "flagged-2", "flagged-3", "flagged-4"}
	for _, session := range wrong {
		labels[session] = false
	}
	r := &Report{Options: Options{Labels: labels}, reached: newReached(labels), Recommended: []int{0}, Advice: []Advice{{Threshold: 4, Found: true}, {Threshold: 2, Found: true}}}
	sessions := newSampled[uint32](mostConversations)
	for session := range labels {
		if session != "gone" {
			sessions.of[conversationOf(session)] = 9
		}
		r.reached[conversationOf(session)] = [][]uint8{{3}} // which only what is not recommended fires at
	}
	for _, session := range append([]string{"caught"}, wrong...) {
		r.reached[conversationOf(session)] = [][]uint8{{4}}
	}
	r.label(&sessions)
	l := r.Labelled
	if !slices.Equal(l.Missed, []string{"missed-1", "missed-2"}) || !slices.Equal(l.Wrong, wrong) || l.Together.FalseNegative != len(l.Missed)+l.UnseenLoops {
		t.Errorf("%+v", l)
	}
	f := func(missed, wrong []string, want string) {
		t.Helper()
		if got := (&Labelled{Missed: missed, Wrong: wrong}).Misjudged(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	f(nil, nil, "")
	f([]string{"a"}, []string{"\x1b[31m"}, `missed: a; flagged wrongly: \x1b[31m`)
	f(nil, strings.Split("abcde", ""), "flagged wrongly: a, b, c, d, e")
	f(strings.Split("abcdefg", ""), nil, "missed: a, b, c, d, e, and 2 more, in --json")
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
