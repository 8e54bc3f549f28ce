package explain

import (
	"bytes"
	"context"
	"strconv"
	"unicode/utf8"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
)

// IdentityOptions say what Identity prints.
type IdentityOptions struct {
	Streams  []ingest.Stream // opened; Identity closes them
	Identity *fingerprint.Identity
	Key      []byte // of the fingerprints; nil for none
	ShowText bool   // print canonical text: it holds what people wrote
}

// Identity writes one JSON line per request and fingerprint, or one that says
// why there is none, in the order of the logs. A stream that cannot be read to
// its end is reported after what was read. The tally is of what was read.
func Identity(ctx context.Context, o IdentityOptions, write func([]byte) error) (ingest.Tally, error) {
	return lines(ctx, o.Streams, func() func(*ingest.Block) parsed {
		reader := ingest.NewReader(o.Identity.Reads)
		w := fingerprint.NewWriter(o.Key)
		w.Keep = o.ShowText
		return func(block *ingest.Block) (out parsed) {
			out.tally = reader.Read(block, func(r *fingerprint.Request) {
				w.Reset()
				cause := o.Identity.Compute(r, w)
				out.text = appendExplained(out.text, o, r, cause, w.Prints())
			}, func(ingest.Skip) {})
			return out
		}
	}, write)
}

func appendExplained(out []byte, o IdentityOptions, r *fingerprint.Request, cause fingerprint.Cause, prints []fingerprint.Print) []byte {
	if cause != fingerprint.Computable {
		prints = []fingerprint.Print{{}}
	}
	for i := range prints {
		out = append(out, `{"id":`...)
		out = appendText(out, r.ID)
		out = append(out, `,"identity":`...)
		out = appendText(out, []byte(o.Identity.Name))
		if cause != fingerprint.Computable {
			out = append(out, `,"computable":false,"why":`...)
			out = appendText(out, []byte(cause.String()))
			out = append(out, `,"canonical":null,"fingerprint":null}`+"\n"...)
			continue
		}
		out = append(out, `,"computable":true,"why":null,"canonical":`...)
		out = appendText(out, prints[i].Canonical)
		out = append(out, `,"fingerprint":`...)
		out = appendText(out, []byte(prints[i].Fingerprint.String()))
		out = append(out, "}\n"...)
	}
	return out
}

// appendText appends text as a JSON string, which is UTF-8 whatever a URL or a
// file's name was.
func appendText(out, text []byte) []byte {
	if text == nil {
		return append(out, "null"...)
	}
	from := len(out)
	out = rawjson.AppendString(out, text)
	if utf8.Valid(out[from:]) {
		return out
	}
	return append(out[:from], bytes.ToValidUTF8(out[from:], []byte("\uFFFD"))...)
}

// Skipped writes one JSON line per line that could not be judged: log,
// line, column (0 if it is about the whole line) and why. It never shows the
// line itself. The tally is of all lines.
func Skipped(ctx context.Context, streams []ingest.Stream, write func([]byte) error) (ingest.Tally, error) {
	return lines(ctx, streams, func() func(*ingest.Block) parsed {
		reader := ingest.NewReader(0)
		reader.AskEach = true
		return func(block *ingest.Block) (out parsed) {
			out.tally = reader.Read(block, func(*fingerprint.Request) {}, func(s ingest.Skip) {
				out.text = appendSkipped(out.text, streams[s.Stream].Name(), s)
			})
			return out
		}
	}, write)
}

func appendSkipped(out []byte, name string, s ingest.Skip) []byte {
	out = append(out, `{"log":`...)
	out = appendText(out, []byte(name))
	out = append(out, `,"line":`...)
	out = strconv.AppendInt(out, s.Line, 10)
	out = append(out, `,"column":`...)
	out = strconv.AppendInt(out, int64(s.Column), 10)
	out = append(out, `,"why":`...)
	out = appendText(out, []byte(s.Why))
	return append(out, "}\n"...)
}

// parsed is what there is to say of a block.
type parsed struct {
	text  []byte
	tally ingest.Tally
}

// lines runs a parser over the streams and writes what it makes of each block.
func lines(ctx context.Context, streams []ingest.Stream, newParser func() func(*ingest.Block) parsed, write func([]byte) error) (all ingest.Tally, err error) {
	err = replay.Blocks(ctx, streams, newParser, func(p parsed) error {
		all.Add(p.tally)
		return write(rawjson.Printable(p.text))
	})
	return all, err
}
