package fingerprint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// escaped is JSON with every character of ASCII in its strings escaped, which
// changes nothing of what it says.
func escaped(json []byte) []byte {
	var out []byte
	inString := false
	for i := 0; i < len(json); i++ {
		switch c := json[i]; {
		case c == '"':
			inString = !inString
			out = append(out, c)
		case inString && c == '\\':
			out = append(out, c, json[i+1])
			i++
			if json[i] == 'u' {
				out = append(out, json[i+1:i+5]...)
				i += 4
			}
		case inString && c < 0x80:
			out = fmt.Appendf(out, `\u%04x`, c)
		default:
			out = append(out, c)
		}
	}
	return out
}

// However a logger escapes a text, it is the same text, and so is its place.
func TestEscapesChangeNothing(t *testing.T) {
	requests := realRequests(t)
	for _, messages := range []string{
		chatTurn, anthropicTurn, responsesTurn,
		`{"role":"user","content":[{"type":"image","url":"data:image/png;base64,` + strings.Repeat("QUJD", 300) + `"}]}`,
	} {
		requests = append(requests, request(t, "caller", "c", "model", "m", "messages", "["+messages+"]", "response", "f {}"))
	}
	for i, r := range requests {
		if i%10 > 0 && i < len(requests)-4 {
			continue
		}
		other := *r
		other.Messages.Items = nil
		for _, item := range r.Messages.Items {
			other.Messages.Items = append(other.Messages.Items, rawjson.Value(escaped(item)))
		}
		for _, id := range contracts(t) {
			if got, want := canonicals(id, &other), canonicals(id, r); !slices.Equal(got, want) {
				t.Errorf("request %d: %s with escapes:\n got %.300q\nwant %.300q", i, id.Name, got, want)
			}
		}
	}
}

// What stands in the place of a text, and where one was cut, is told from any
// way to write it, and however long the text is.
func TestLossInEscapes(t *testing.T) {
	id := mustNew(t, "prompt", Options{})
	f := func(leaf string, want Cause) {
		t.Helper()
		for _, before := range []string{"", strings.Repeat("x ", 100), strings.Repeat(`\\`, 1000) + ".", strings.Repeat(`\\`, 1000)} {
			message := `{"role":"user","content":[{"type":"file","of":"` + strings.Replace(leaf, "~", before, 1) + `"}]}`
			for _, text := range [][]byte{[]byte(message), escaped([]byte(message))} {
				if got := id.Compute(request(t, "messages", "["+string(text)+"]"), NewWriter(nil)); got != want {
					t.Errorf("%.200s: %q, want %q", text, got, want)
				}
			}
		}
	}
	f(`~ and so on… (truncated)`, TruncatedContent)
	f(`~ and so on\u2026 (truncated)\n`, TruncatedContent)
	f(`~ and so on <truncated 513 bytes>`, TruncatedContent)
	f(`~ and so on \u003ctruncated 513 bytes\u003e`, TruncatedContent)
	f(`~ and so on`, Computable)
	f(`data:image/png;base64,~QUI=`, Computable)
	f(`data:image/png;base64,~QUI\u003d\n`, Computable)
	f(`data:image/png;base64,~\u003cimage omitted\u003e`, TruncatedContent)
	f(`data:image/png;base64,~...`, TruncatedContent)
	f(`\u003cREDACTED\u003e`, RedactedContent)
	f(`[`+strings.Repeat("x", 110)+` redacted]`, RedactedContent)
}

// A text that can be copied as it stands is lost where the decoded one is:
// labels have one line, and what was cut may be told on another.
func TestLossInLines(t *testing.T) {
	id := mustNew(t, "prompt", Options{})
	f := func(content string, want Cause) {
		t.Helper()
		for _, text := range []string{content, string(escaped([]byte(content))), `[{"type":"text","text":` + content + `}]`} {
			if got := id.Compute(request(t, "messages", `[{"role":"user","content":`+text+`}]`), NewWriter(nil)); got != want {
				t.Errorf("%s: %q, want %q", text, got, want)
			}
		}
	}
	f(`"[REDACTED]"`, RedactedContent)
	f(`"[REDACTED\nlists, all of them]"`, Computable)
	f(`"see [the list\nof truncated logs]"`, Computable)
	f(`"see <\ttruncated>"`, Computable)
	f(`"see [truncated C:\\]"`, Computable)
	f(`"and so on...\n(truncated)"`, TruncatedContent)
	f(`"and so on...\n\n \n(truncated)\n"`, TruncatedContent)
	f(`"and so on.\n\n(truncated)"`, Computable)
	f(`"1\n2\n[Output was truncated due to size limits]"`, Computable)
	f(`"1\n2\n[Output was truncated]"`, TruncatedContent)
}
