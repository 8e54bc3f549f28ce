package parquet

import "testing"

// The runs of partitions are added up, of which one may have a log, an exclusion
// or a cause that the other has not.
func TestRunsAddUp(t *testing.T) {
	rule := func(n int64, causes ...causeRow) ruleRow {
		return ruleRow{Rule: "a", Judged: n, Counted: n, NotMatched: n, FellBack: n, Fired: n, Episodes: n, DroppedKeys: n, NotComputable: causes}
	}
	run := func(n int64, logs []Log, rule ruleRow) runRow {
		return runRow{Run: Run{
			Created: n, WorstLate: float64(n), Tied: n, Answers: n, Unlogged: n, Logs: logs,
			Lines: n, Judged: n, Blank: n, Malformed: n, Duplicate: n, Late: n, AllExcluded: n, Excluded: []Exclusion{{Name: "x", Requests: n}},
		}, Rules: []ruleRow{rule}}
	}
	a, b := Log{Name: "a", Lines: 1, Bytes: 10}, Log{Name: "b", Lines: 2, Bytes: 20}
	one := func() runRow { return run(1, []Log{a}, rule(1, causeRow{"no body", 1})) }
	two := func() runRow { return run(2, []Log{a, b}, rule(2, causeRow{"no model", 4}, causeRow{"no body", 2})) }
	want := func(causes ...causeRow) runRow {
		sum := run(3, []Log{{Name: "a", Lines: 2, Bytes: 20}, b}, rule(3, causes...))
		sum.Created, sum.WorstLate = 2, 2
		return sum
	}
	f := func(to, from, want runRow) {
		t.Helper()
		to.add(&from)
		equal(t, []runRow{to}, []runRow{want})
	}
	f(one(), two(), want(causeRow{"no body", 3}, causeRow{"no model", 4}))
	f(two(), one(), want(causeRow{"no model", 4}, causeRow{"no body", 3}))
}
