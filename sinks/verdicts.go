package sinks

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/window"
)

// VerdictWriter writes verdicts as JSON lines, in the order in which it gets
// them. docs/output.md describes the fields.
type VerdictWriter struct {
	name string
	out  *bufio.Writer
	file *AtomicFile // nil for a writer that is not ours

	// Bound, if not empty, is written into every line: what the lines say is
	// so much at most.
	Bound string
	line  []byte
}

// NewVerdictWriter writes to w, which messages call name.
func NewVerdictWriter(w io.Writer, name string) *VerdictWriter {
	return &VerdictWriter{name: name, out: bufio.NewWriterSize(w, 1<<16)}
}

// CreateVerdicts writes to a file that appears when Close is called.
func CreateVerdicts(path string) (*VerdictWriter, error) {
	f, err := CreateAtomic(path)
	if err != nil {
		return nil, err
	}
	w := NewVerdictWriter(f, path)
	w.file = f
	return w, nil
}

// Write writes one verdict.
func (w *VerdictWriter) Write(v *window.Verdict) error {
	w.line = AppendVerdict(w.line[:0], v)
	if w.Bound != "" {
		w.line = append(w.line[:len(w.line)-len("}\n")], `,"bound":`...)
		w.line = append(appendString(w.line, w.Bound), "}\n"...)
	}
	if _, err := w.out.Write(rawjson.Printable(w.line)); err != nil {
		return fmt.Errorf("%s: %w", w.name, err)
	}
	return nil
}

// Flush hands over what has been written to what is below.
func (w *VerdictWriter) Flush() error {
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("%s: %w", w.name, err)
	}
	return nil
}

// Close writes what is left and puts the file in its place.
func (w *VerdictWriter) Close() error {
	if err := w.Flush(); err != nil {
		return err
	}
	if w.file != nil {
		return w.file.Commit()
	}
	return nil
}

// Abort removes a file that was not closed.
func (w *VerdictWriter) Abort() {
	if w.file != nil {
		w.file.Abort()
	}
}

// AppendVerdict appends a verdict as one JSON line.
func AppendVerdict(b []byte, v *window.Verdict) []byte {
	b = append(b, `{"time":"`...)
	b = window.AppendStamp(b, v.Event.Time)
	b = append(b, `","id":`...)
	b = appendOptional(b, v.Event.ID)
	b = append(b, `,"rule":`...)
	b = appendString(b, v.Rule.Name)
	b = append(b, `,"identity":`...)
	b = appendString(b, v.Rule.Identity.Name)
	b = append(b, `,"scope":{`...)
	for i, field := range v.Rule.Scope.Fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, field), ':')
		b = appendString(b, v.Scope.Values[i])
	}
	b = append(b, `},"fingerprint":"`...)
	b = v.Fingerprint.Append(b)
	b = append(b, `","count":`...)
	b = appendNumber(b, int64(v.Count))
	b = append(b, `,"fired":`...)
	b = strconv.AppendBool(b, v.Fired)
	b = append(b, `,"action":"`...)
	b = append(b, v.Action...)
	b = append(b, `","reason":`...)
	b = appendOptional(b, string(v.Reason))
	b = append(b, `,"retry_after_s":`...)
	b = appendNumber(b, v.RetryAfter)
	b = append(b, `,"delay_ms":`...)
	b = appendNumber(b, v.DelayMS)
	b = append(b, `,"episode":`...)
	b = appendOptional(b, v.Episode)
	return append(b, "}\n"...)
}

func appendString(b []byte, s string) []byte {
	return rawjson.AppendString(b, []byte(s))
}

// appendOptional writes null for what is not there.
func appendOptional(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return appendString(b, s)
}

// appendNumber writes null for -1, which stands for none.
func appendNumber(b []byte, n int64) []byte {
	if n < 0 {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, n, 10)
}
