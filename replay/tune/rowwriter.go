package tune

import (
	"bufio"
	"encoding/json"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// row is an element of one of a document's long lists.
type row interface {
	// members writes the members of the JSON object that the row is, as
	// json.Marshal has them.
	members(w *rowWriter)
}

// rowWriter writes rows, each a JSON object on a line of its own, member by
// member: by encoding/json long lists take several times as long.
type rowWriter struct {
	text []byte
	err  error
}

// writeLines writes a list, each row on a line. A row is valid until the next.
func writeLines(out *bufio.Writer, rows iter.Seq[row]) error {
	var w rowWriter
	n := 0
	for row := range rows {
		w.text = append(w.text[:0], between(n, "[")...)
		w.text = append(w.text, "\n    "...)
		w.object(row)
		if w.err != nil {
			return w.err
		}
		_, _ = out.Write(w.text)
		n++
	}
	if n == 0 {
		_, _ = out.WriteString("[]")
		return nil
	}
	_, _ = out.WriteString("\n  ]")
	return nil
}

func (w *rowWriter) object(row row) {
	w.text = append(w.text, '{')
	row.members(w)
	w.text = append(w.text, '}')
}

// key begins a member.
func (w *rowWriter) key(name string) {
	if w.text[len(w.text)-1] != '{' {
		w.text = append(w.text, ',')
	}
	w.value(name)
	w.text = append(w.text, ':')
}

func (w *rowWriter) string(name, value string) {
	w.key(name)
	w.value(value)
}

func (w *rowWriter) stringOrNull(name string, value *string) {
	if value == nil {
		w.null(name)
		return
	}
	w.string(name, *value)
}

func (w *rowWriter) int(name string, n int64) {
	w.key(name)
	w.text = strconv.AppendInt(w.text, n, 10)
}

func (w *rowWriter) intOrNull(name string, n *int64) {
	if n == nil {
		w.null(name)
		return
	}
	w.int(name, *n)
}

func (w *rowWriter) number(name string, x float64) {
	w.key(name)
	if abs := math.Abs(x); abs != 0 && !(abs >= 1e-6 && abs < 1e21) { // with an exponent, or none at all
		w.other(x)
		return
	}
	w.text = strconv.AppendFloat(w.text, x, 'f', -1, 64)
}

func (w *rowWriter) numberOrNull(name string, x *float64) {
	if x == nil {
		w.null(name)
		return
	}
	w.number(name, *x)
}

func (w *rowWriter) null(name string) {
	w.key(name)
	w.text = append(w.text, "null"...)
}

// value writes a string.
func (w *rowWriter) value(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7F || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			w.other(s)
			return
		}
	}
	w.text = append(append(append(w.text, '"'), s...), '"')
}

// other writes what is rare.
func (w *rowWriter) other(v any) {
	text, err := json.Marshal(v)
	if w.err == nil {
		w.err = err
	}
	w.text = append(w.text, rawjson.Printable(text)...)
}

// object writes an object of members that are alike, by name.
func members[V any](w *rowWriter, name string, all map[string]V, member func(name string, value V)) {
	w.key(name)
	if all == nil {
		w.text = append(w.text, "null"...)
		return
	}
	w.text = append(w.text, '{')
	for _, name := range slices.Sorted(maps.Keys(all)) {
		member(name, all[name])
	}
	w.text = append(w.text, '}')
}

func (c *DocumentCell) members(w *rowWriter) {
	w.string("rule", c.Rule)
	w.string("kind", c.Kind)
	w.number("window_s", c.WindowSeconds)
	w.int("threshold", int64(c.Threshold))
	w.int("requests", c.Requests)
	w.number("share", c.Share)
	w.int("episodes", c.Episodes)
	w.number("episodes_per_day", c.EpisodesPerDay)
	w.int("scopes", c.Scopes)
	w.int("sessions", c.Sessions)
	w.int("callers", c.Callers)
	w.int("tokens_before", c.TokensBefore)
	w.int("tokens_after", c.TokensAfter)
	w.number("cost_before", c.CostBefore)
	w.number("cost_after", c.CostAfter)
	w.numberOrNull("delay_median_s", c.DelayMedian)
	w.numberOrNull("delay_p95_s", c.DelayP95)
	w.int("caught", int64(c.Caught))
	w.int("missed", int64(c.Missed))
	w.int("wrong", int64(c.Wrong))
	w.intOrNull("stopped", c.Stopped)
}

func (e *DocumentEpisode) members(w *rowWriter) {
	w.string("id", e.ID)
	w.string("rule", e.Rule)
	members(w, "scope", e.Scope, w.string)
	w.string("fingerprint", e.Fingerprint)
	w.string("kind", string(e.Kind))
	w.string("evidence", e.Evidence)
	w.string("first", e.First)
	w.string("fired", e.Fired)
	w.string("last", e.Last)
	w.int("requests", e.Requests)
	w.int("requests_after", e.RequestsAfter)
	w.int("tokens_after", e.TokensAfter)
	w.number("cost_after", e.CostAfter)
	members(w, "statuses", e.Statuses, w.int)
	w.stringOrNull("session", e.Session)
	w.stringOrNull("caller", e.Caller)
	w.stringOrNull("model", e.Model)
}

func (r *DocumentRepeat) members(w *rowWriter) {
	w.string("id", r.ID)
	w.string("rule", r.Rule)
	members(w, "scope", r.Scope, w.string)
	w.string("fingerprint", r.Fingerprint)
	w.string("kind", string(r.Kind))
	w.string("evidence", r.Evidence)
	w.string("first", r.First)
	w.string("last", r.Last)
	w.int("requests", r.Requests)
	w.stringOrNull("session", r.Session)
	w.stringOrNull("caller", r.Caller)
}
