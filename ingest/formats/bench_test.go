package formats

import (
	"bytes"
	"os"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// BenchmarkParse reads each fixture with the cheap fields only, and with all.
func BenchmarkParse(b *testing.B) {
	for _, f := range All {
		for name, lines := range fixtures(b)[f.Name] {
			for _, what := range []struct {
				name  string
				reads fingerprint.Field
			}{{"cheap", 0}, {"all", fingerprint.AllFields}} {
				b.Run(f.Name+"/"+name+"/"+what.name, func(b *testing.B) {
					var all [][]byte
					size := 0
					for _, line := range lines {
						for _, record := range records(line) {
							all = append(all, record)
							size += len(record)
						}
					}
					p := f.New(what.reads)
					var r fingerprint.Request
					b.SetBytes(int64(size))
					b.ReportAllocs()
					for b.Loop() {
						for _, record := range all {
							each(p, record, &r, func(int, string) {})
						}
					}
				})
			}
		}
	}
}

// BenchmarkCustom reads a log with bodies as JSON text by a format of its
// owner's, with many fields inside of one of them.
func BenchmarkCustom(b *testing.B) {
	acme, err := os.ReadFile(fixtureDir + "/custom/acme.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(acme), []byte("\n"))
	c := &Custom{Missing: []string{"-"}, Fields: []CustomField{
		pathTo("time", "ts"), pathTo("id", "ctx.callId"), pathTo("session", "ctx.conversation"), pathTo("body", "payload.sent"), pathTo("response", "payload.got"),
		pathTo("model", "payload.sent.model"), pathTo("user", "payload.sent.user"), pathTo("max_tokens", "payload.sent.max_tokens"), pathTo("stream", "payload.sent.stream"),
		pathTo("has_tools", "payload.sent.tools"), pathTo("messages", "payload.sent.messages"),
		pathTo("tokens_in", "payload.got.usage.prompt_tokens"), pathTo("tokens_out", "payload.got.usage.completion_tokens"),
	}}
	p := newCustom(c, fingerprint.AllFields)
	var r fingerprint.Request
	b.SetBytes(int64(len(acme)))
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			r.Reset()
			p.Parse(line, &r)
		}
	}
}
