package parted

import (
	"encoding/hex"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// rowWith is a row of rule "r" with some of its columns otherwise.
func rowWith(columns map[int]string) string {
	cells := slices.Clone(plainRow[:])
	for col, cell := range columns {
		cells[col] = cell
	}
	return strings.Join(cells, "\t") + "\n"
}

var plainRow = [columns]string{
	colRule: digits("r"), colScope: strings.Repeat("0a", 16), colFingerprint: strings.Repeat("0b", 32),
	colTime: "1000000", colLog: "0", colSeq: "5", colOrdinal: "0",
	colStatus: "200", colTokensIn: "7", colTokensOut: "3", colCost: "0.25",
	colSession: digits("s1"), colCaller: digits("team"), colModel: digits("m"), colTool: digits("search"),
	colValues: digits("session") + ":" + digits("s1"),
}

func digits(text string) string { return strings.ToUpper(hex.EncodeToString([]byte(text))) }

func testPlan(t *testing.T) *window.Plan {
	t.Helper()
	id, err := fingerprint.New("tool-call", fingerprint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scope, err := fingerprint.NewScope([]string{"session"})
	if err != nil {
		t.Fatal(err)
	}
	return window.NewPlan([]*window.Rule{{Name: "r", Identity: id, Scope: scope, Counter: window.CounterSpec{Kind: "sliding", Window: time.Minute}, Threshold: 2}}, nil)
}

// read reads all rows, and returns those before the first that is wrong.
func read(t *testing.T, keying window.Keying, text string) (events []window.Event, err error) {
	t.Helper()
	r := newRows(strings.NewReader(text), testPlan(t), keying)
	for {
		_, ev, err := r.next()
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		events = append(events, *ev)
	}
}

func TestRow(t *testing.T) {
	bare := map[int]string{colTime: "1000001", colLog: "3", colStatus: "", colTokensIn: "", colTokensOut: "", colCost: "", colMethod: digits("GET"), colPath: digits("/jobs"), colUser: digits("u"), colBackend: digits("b"), colValues: digits("caller") + ":" + digits("team") + "," + plainRow[colValues]}
	events, err := read(t, window.ByScopeAndFingerprint, rowWith(nil)+rowWith(bare))
	if err != nil || len(events) != 2 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	ev := &events[0]
	if ev.Time != 1_000_000 || ev.Status != 200 || ev.TokensIn != 7 || ev.TokensOut != 3 || ev.Cost != 0.25 || ev.Position.Offset != 5 {
		t.Errorf("numbers: %+v", ev)
	}
	if ev.Session != "s1" || ev.Caller != "team" || ev.Model != "m" || ev.User != "" || ev.Scopes[0].Values[0] != "s1" || ev.Prints[0].Tools[0] != "search" {
		t.Errorf("texts: %+v", ev)
	}
	// What is not logged is unknown, whatever the row before has.
	ev = &events[1]
	if ev.Status != fingerprint.Unknown || ev.TokensIn != fingerprint.Unknown || ev.TokensOut != fingerprint.Unknown || !math.IsNaN(ev.Cost) || ev.Position.Stream != 3 {
		t.Errorf("numbers: %+v", ev)
	}
	if ev.Method+" "+ev.Path != "GET /jobs" || ev.User != "u" || ev.Backend != "b" {
		t.Errorf("texts: %+v", ev)
	}
}

// TestOddRows: what a row may not be is said with its number, and with the way out
// where there is one.
func TestOddRows(t *testing.T) {
	huge := digits(strings.Repeat("x", 1<<20)) // the reader has no room for it at once
	for name, c := range map[string]struct{ text, want string }{
		"another rule":      {rowWith(map[int]string{colRule: digits("q")}), `row 1: rule "q" is not in the policy: give the policy that the events were written with`},
		"rule":              {rowWith(map[int]string{colRule: "q"}), `row 1: "q" is not hex`},
		"columns":           {"a\tb\n", "row 1: 2 columns, not 21"},
		"cut":               {strings.TrimSuffix(rowWith(nil), "\n"), "row 1: ends within the row: some is missing"},
		"short scope":       {rowWith(map[int]string{colScope: "0a"}), `row 1: "0a" is no key of a scope`},
		"scope":             {rowWith(map[int]string{colScope: strings.Repeat("0g", 16)}), "is no key of a scope"},
		"fingerprint":       {rowWith(map[int]string{colFingerprint: "0b"}), `row 1: "0b" is no fingerprint`},
		"no time":           {rowWith(map[int]string{colTime: ""}), "row 1: column 4 is empty"},
		"no ordinal":        {rowWith(map[int]string{colOrdinal: ""}), "row 1: column 7 is empty"},
		"ordinal":           {rowWith(map[int]string{colOrdinal: "first"}), `row 1: column 7: "first" is no number from`},
		"time":              {rowWith(map[int]string{colTime: "1e6"}), `row 1: column 4: "1e6" is no number from`},
		"override":          {rowWith(map[int]string{colOverride: "0"}), `row 1: column 8: "0" is no number from 0 to -1`},
		"negative":          {rowWith(map[int]string{colTokensIn: "-1"}), `row 1: column 10: "-1" is no number from 0 to`},
		"cost":              {rowWith(map[int]string{colCost: "free"}), `row 1: cost "free" is no number`},
		"hex":               {rowWith(map[int]string{colSession: "s1"}), `row 1: "s1" is not hex`},
		"value":             {rowWith(map[int]string{colValues: digits("caller") + ":" + digits("s1")}), "row 1: there is no value for scope field session"},
		"twice":             {rowWith(nil) + rowWith(nil), "row 2: stands there twice"},
		"times":             {rowWith(nil) + rowWith(map[int]string{colTime: "999999"}), "row 2: stands before the row above it: sort by rule, scope, fingerprint, time, log, seq, ordinal"},
		"times as texts":    {rowWith(map[int]string{colTime: "1000000"}) + rowWith(map[int]string{colTime: "900000"}), "row 2: stands before"},
		"fingerprints":      {rowWith(nil) + rowWith(map[int]string{colFingerprint: strings.Repeat("0a", 32), colTime: "2000000"}), "row 2: stands before"},
		"wrong after right": {rowWith(nil) + rowWith(map[int]string{colTime: "2000000"}) + "\n", "row 3: 1 columns, not 21"},
		"after a long one":  {rowWith(map[int]string{colPath: huge}) + "\n", "row 2: 1 columns, not 21"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := read(t, window.ByScopeAndFingerprint, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// TestOrderOfRows: where a scope's whole order counts, its fingerprints come as they
// came.
func TestOrderOfRows(t *testing.T) {
	text := rowWith(nil) + rowWith(map[int]string{colFingerprint: strings.Repeat("0a", 32), colTime: "2000000"})
	if events, err := read(t, window.ByScope, text); err != nil || len(events) != 2 {
		t.Errorf("%d events, %v", len(events), err)
	}
	text += rowWith(map[int]string{colTime: "1500000"})
	if _, err := read(t, window.ByScope, text); err == nil || !strings.Contains(err.Error(), "row 3: stands before the row above it: sort by rule, scope, time") {
		t.Errorf("got %v", err)
	}
}

// TestLongNamesAreNotKept: who gives each session a name of a megabyte has none of
// them stay.
func TestLongNamesAreNotKept(t *testing.T) {
	r := newRows(strings.NewReader(""), testPlan(t), window.ByScope)
	for _, name := range []string{"short", strings.Repeat("x", maxName)} {
		if got := r.decode([]byte(digits(name))); got != name || r.err != nil {
			t.Errorf("%.9s: %.9s, %v", name, got, r.err)
		}
	}
	if len(r.names) != 1 {
		t.Errorf("%d names are kept, not the short one alone", len(r.names))
	}
}
