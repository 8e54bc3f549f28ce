package formats

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
	files "github.com/loopgauge/loopgauge/fixtures"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

const fixtureDir = "../../fixtures/formats"

// beside are files that stand beside the logs.
var beside = map[string]bool{
	"truth.jsonl": true, "LICENSE.tau2": true, "caddy.jq": true, "caddy_source.json.txt": true,
}

// fixtures are the logs of each format, by the format's name.
func fixtures(tb testing.TB) map[string]map[string][][]byte {
	tb.Helper()
	all := map[string]map[string][][]byte{}
	for _, f := range All {
		entries, err := os.ReadDir(filepath.Join(fixtureDir, f.Name))
		if err != nil {
			tb.Fatalf("%v: put a log of it there", err)
		}
		all[f.Name] = map[string][][]byte{}
		for _, e := range entries {
			if !beside[e.Name()] {
				lines := readLines(tb, f.Name+"/"+e.Name())
				all[f.Name][e.Name()] = lines
				for _, w := range []string{"turns", "rows"} {
					if together := putTogether(wrap.ByName(w), lines); together != nil {
						all[f.Name][e.Name()+", "+w] = together
					}
				}
			}
		}
		if len(all[f.Name]) == 0 {
			tb.Fatalf("no fixture of %s", f.Name)
		}
	}
	return all
}

// putTogether are the records that a wrapper makes of the lines of a log, if
// the first is of that kind.
func putTogether(w *wrap.Wrapper, lines [][]byte) (all [][]byte) {
	if !w.Detect(lines[0]) {
		return nil
	}
	c := wrap.NewChain([]*wrap.Wrapper{w}, func(line wrap.Line) { all = append(all, bytes.Clone(line.Text)) }, nil)
	for _, line := range lines {
		c.Push(wrap.Line{Text: line})
	}
	c.Drop(nil)
	return all
}

// readLines are the lines of a log of the formats.
func readLines(tb testing.TB, path string) [][]byte {
	tb.Helper()
	data := bytes.TrimSuffix(files.Read(tb, "formats/"+path), []byte("\n"))
	if bytes.HasPrefix(data, []byte("{\n")) { // each text spread over lines
		texts := bytes.Split(data, []byte("\n}\n"))
		for i := range texts[:len(texts)-1] {
			texts[i] = append(bytes.Clone(texts[i]), "\n}"...)
		}
		return texts
	}
	return bytes.Split(data, []byte("\n"))
}

// each parses a record and calls f with the outcome of each request in it.
func each(p Parser, record []byte, r *fingerprint.Request, f func(column int, why string)) {
	batch, ok := p.(Batch)
	if !ok {
		r.Reset()
		f(p.Parse(record, r))
		return
	}
	some := false
	column, why := batch.ParseEach(record, r, func() bool {
		some = true
		f(0, "")
		return true
	})
	if !some {
		if why == "" {
			why = NoRequest
		}
		f(column, why)
	}
}

// records takes a line that is an array apart, as the reader of blocks does.
func records(line []byte) [][]byte {
	p := native{}
	p.scan.Reset(line)
	if !bytes.HasPrefix(line, []byte("[{")) {
		return [][]byte{line}
	}
	var all [][]byte
	for p.scan.Array(); p.scan.NextElement(); {
		all = append(all, p.scan.Value())
	}
	return all
}

// parse reads one record on its own.
func parse(tb testing.TB, format, record string) *fingerprint.Request {
	tb.Helper()
	r := &fingerprint.Request{}
	r.Reset()
	if column, why := ByName(format).New(fingerprint.AllFields).Parse([]byte(record), r); why != "" {
		tb.Fatalf("%s: column %d: %s\n%s", format, column, why, record)
	}
	return r
}
