package tune

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// shownThresholds are the rows of a heat-map.
var shownThresholds = []int{2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50}

// mapColumns is how many windows stand side by side: as many as fit.
const mapColumns = (term.Width - 9) / 8

// settings shows a heat-map for each recommended rule: episodes by threshold
// and window.
func (s Summary) settings(b *strings.Builder) {
	r := s.Report
	for _, i := range r.Recommended {
		a := &r.Advice[i]
		kind := r.Cells[a.Cell].Kind
		fmt.Fprintf(b, "%s, %s: episodes by threshold and window\n  [advised]%s\n", term.Bold(s.Colour, term.Shorten(term.Safe(a.Rule.Name), 24)), kind, s.nowMark(a))
		s.heatmap(b, a, kind)
		b.WriteByte('\n')
	}
}

func (s Summary) nowMark(a *Advice) string {
	switch {
	case a.HasCurrent && a.CurrentCell == a.Cell && a.Rule.Threshold == a.Threshold:
		return ", as it is now"
	case s.showsNow(a):
		return "  (now)"
	}
	return fmt.Sprintf("  now: %s", replay.SettingOf(a.Rule))
}

// showsNow tells that the rule as it is has a cell in the heat-map.
func (s Summary) showsNow(a *Advice) bool {
	r, now := s.Report, a.Rule.Threshold
	return a.HasCurrent && r.Cells[a.CurrentCell].Kind == r.Cells[a.Cell].Kind && r.Options.Least <= now && now <= r.Options.Most
}

func (s Summary) heatmap(b *strings.Builder, a *Advice, kind string) {
	r := s.Report
	first := slices.IndexFunc(r.Cells, func(c window.SweepCell) bool { return c.Kind == kind })
	cells := r.Sweep[a.Target].Cells[first : first+len(r.Options.Windows)]
	most := int64(1)
	for c := range cells {
		most = max(most, cells[c].Episodes[r.Options.Least])
	}
	rows := slices.Clone(shownThresholds)
	rows = append(rows, a.Threshold)
	if s.showsNow(a) {
		rows = append(rows, a.Rule.Threshold)
	}
	slices.Sort(rows)
	rows = slices.DeleteFunc(slices.Compact(rows), func(t int) bool { return t < r.Options.Least || t > r.Options.Most })
	for from := 0; from < len(cells); from += mapColumns {
		s.heatmapPart(b, a, rows, first+from, cells[from:min(from+mapColumns, len(cells))], most)
	}
}

// heatmapPart shows windows side by side, of which the first is of that cell. Of
// the rows that nothing reaches it shows one, and that of the rule as it is.
func (s Summary) heatmapPart(b *strings.Builder, a *Advice, rows []int, first int, cells []window.Swept, most int64) {
	r := s.Report
	fmt.Fprintf(b, "%9s", "")
	for c := range cells {
		fmt.Fprintf(b, "%8s", window.Lasting(r.Cells[first+c].Window)+" ")
	}
	b.WriteByte('\n')
	unreached := false
	for _, t := range rows {
		now := s.showsNow(a) && t == a.Rule.Threshold
		if unreached && !now {
			continue
		}
		fmt.Fprintf(b, "%8d ", t)
		some := int64(0)
		for c := range cells {
			n := cells[c].Episodes[t]
			some += n
			text := term.Count(n)
			switch {
			case first+c == a.Cell && t == a.Threshold:
				text = "[" + text + "]"
			case now && first+c == a.CurrentCell:
				text = "(" + text + ")"
			default:
				text += " "
			}
			b.WriteString(s.shade(fmt.Sprintf("%8s", text), n, most))
		}
		b.WriteByte('\n')
		unreached = some == 0 && t >= a.Threshold
	}
}

// shade colours a cell by its share of the most, on a scale that does not rest
// on telling red from green, nor on whether the terminal is dark or light: what
// is written on a shade has its colour too.
func (s Summary) shade(text string, n, most int64) string {
	if !s.Colour || n == 0 {
		return text
	}
	scale := [][2]int{{189, 16}, {153, 16}, {111, 16}, {26, 231}, {18, 231}}
	i := int(math.Log1p(float64(n)) / math.Log1p(float64(most)) * float64(len(scale)-1))
	shade := scale[min(max(i, 0), len(scale)-1)]
	return fmt.Sprintf("\x1b[48;5;%d;38;5;%dm%s\x1b[0m", shade[0], shade[1], text)
}
