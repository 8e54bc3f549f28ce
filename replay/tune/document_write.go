package tune

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strconv"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// WriteDocument writes a report as a [Document] in JSON: indented, but of the
// long lists, where indenting would cost more than the sweep, each element is
// one line, made when it is written.
func WriteDocument(w io.Writer, version string, r *Report) error {
	out := bufio.NewWriterSize(w, 1<<16)
	fields := reflect.ValueOf(newDocument(version, r)).Elem()
	opens := "{"
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Tag.Get("json")
		fmt.Fprintf(out, "%s\n  %q: ", opens, name)
		opens = ","
		var err error
		switch value := fields.Field(i).Interface().(type) {
		case []DocumentCell:
			err = writeLines(out, r.documentCells(), func(c DocumentCell) DocumentCell { return c })
		case []DocumentEpisode:
			err = writeLines(out, r.fired(), documentEpisode)
		case []DocumentRepeat:
			err = writeLines(out, r.longestRepeats(), documentRepeat)
		default:
			var text []byte
			text, err = json.MarshalIndent(value, "  ", "  ")
			_, _ = out.Write(rawjson.Printable(text))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	_, _ = out.WriteString("\n}\n")
	return out.Flush() // says what any Write before it met
}

// writeLines writes what is made of each element of a list, each on a line; some
// thousand at a time, made on all cores.
func writeLines[T, D any](out *bufio.Writer, list []T, of func(T) D) error {
	parts := runtime.GOMAXPROCS(0) // a container may get more meanwhile
	texts, errs := make([]bytes.Buffer, parts), make([]error, parts)
	_ = out.WriteByte('[')
	comma := 1 // before the first element is none
	for some := range slices.Chunk(list, 4096) {
		inParts(parts, len(some), func(part, from, to int) { errs[part] = appendLines(&texts[part], some[from:to], of) })
		for i := range texts {
			if errs[i] != nil {
				return errs[i]
			}
			_, _ = out.Write(texts[i].Next(texts[i].Len())[comma:])
			comma = 0
		}
	}
	if len(list) > 0 {
		_, _ = out.WriteString("\n  ")
	}
	_ = out.WriteByte(']')
	return nil
}

// appendLines appends what is made of each element, behind a comma on a line.
func appendLines[T, D any](text *bytes.Buffer, list []T, of func(T) D) error {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	for _, element := range list {
		line.Reset()
		d := of(element)
		if err := encoder.Encode(&d); err != nil {
			return err
		}
		text.WriteString(",\n    ")
		text.Write(rawjson.Printable(bytes.TrimSuffix(line.Bytes(), []byte("\n"))))
	}
	return nil
}

func (r *Report) documentCells() (cells []DocumentCell) {
	for i := range r.Sweep {
		for s := range r.Settings(i) {
			cells = append(cells, DocumentCell{r.Sweep[i].Rule.Name, s})
		}
	}
	return cells
}

func documentKey(k *Repeat) DocumentKey {
	return DocumentKey{k.ID(), k.Rule.Name, k.Rule.Scope.Named(k.Scope), k.Fingerprint.String(), k.Kind, k.Evidence, window.Stamp(k.First)}
}

func documentEpisode(f firing) DocumentEpisode {
	k := f.of
	d := DocumentEpisode{
		DocumentKey: documentKey(k), Fired: window.Stamp(f.time()), Last: window.Stamp(k.Last), Requests: k.Requests, RequestsAfter: f.after,
		TokensAfter: f.spent.tokens, CostAfter: f.spent.cost.Dollars(), Statuses: map[string]int64{},
		Session: replay.TextOrNull(k.Session), Caller: replay.TextOrNull(k.Caller), Model: replay.TextOrNull(k.Model),
	}
	for from, to := 0, 0; from < len(k.hits); from = to { // mostly all have the same
		status := k.hits[from].Status
		for to < len(k.hits) && k.hits[to].Status == status {
			to++
		}
		d.Statuses[strconv.Itoa(int(status))] += int64(to - from)
	}
	return d
}

// mostListed is how many repeats a document lists.
const mostListed = 10_000

// longestRepeats are the repeats that a document lists.
func (r *Report) longestRepeats() []*Repeat {
	longest := slices.DeleteFunc(slices.Clone(r.Repeats), (*Repeat).alone)
	slices.SortStableFunc(longest, func(a, b *Repeat) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.First, b.First))
	})
	return longest[:min(len(longest), mostListed)]
}

func documentRepeat(k *Repeat) DocumentRepeat {
	return DocumentRepeat{
		DocumentKey: documentKey(k), Last: window.Stamp(k.Last), Requests: k.Requests, Session: replay.TextOrNull(k.Session), Caller: replay.TextOrNull(k.Caller),
	}
}
