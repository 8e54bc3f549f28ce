package fingerprint

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// A text that is nothing but what a logger put in the place of content carries
// no content: taken for one, it would make all requests the same. A text of
// which a part was replaced says something still, and stays content. The
// sources of the forms stand in docs/formats.md.

// longestPlaceholder is how long a text may be that is no more than a
// placeholder: Datadog's is a sentence of 83 bytes.
const longestPlaceholder = 128

// longestEscaped is how long such a text may be as JSON: \u005b for each byte.
const longestEscaped = len(`\u005b`) * longestPlaceholder

// Placeholder is why a text is no content, or no value: it stands in the place
// of one, such as [REDACTED] or ***.
func Placeholder(text []byte) Cause { return placeholder(bytes.TrimSpace(text)) }

// placeholder is Placeholder of a text without white space at its ends: one, or
// several with spaces between.
func placeholder(text []byte) Cause {
	if len(text) < len("***") || len(text) > longestPlaceholder {
		return Computable
	}
	switch text[len(text)-1] {
	case ']', '>', '}', ')':
		return placeholders(text)
	case '*':
		if len(bytes.Trim(text, "*")) == 0 {
			return RedactedContent
		}
	}
	if slices.ContainsFunc(barePlaceholders, func(word []byte) bool { return bytes.Equal(text, word) }) {
		return RedactedContent
	}
	return Computable
}

// barePlaceholders are those without brackets.
var barePlaceholders = [][]byte{
	[]byte("redacted-by-litellm"), []byte("default-message-value"), []byte("__REDACTED__"),
	[]byte("REDACTED"), []byte("Redacted"), []byte("redacted"), []byte("readacted"), []byte("***"),
}

// placeholders reads labels in brackets up to the end of the text.
func placeholders(text []byte) Cause {
	found := Computable
	for len(text) > 0 {
		label, rest := cutLabel(text)
		cause := hidden(label)
		if cause == Computable {
			return Computable
		}
		if found == Computable {
			found = cause
		}
		text = bytes.TrimLeft(rest, " ")
	}
	return found
}

// cutLabel cuts a label and the brackets around it, up to three deep, off the
// front. It is nil if there is none.
func cutLabel(text []byte) (label, rest []byte) {
	n := 0
	for n < 3 && n < len(text) && closing(text[n]) != 0 {
		n++
	}
	if n == 0 {
		return nil, text
	}
	end := n
	for end < len(text) && inLabel(text[end]) {
		end++
	}
	label = text[n:end]
	for i := n - 1; i >= 0; i-- {
		if end == len(text) || text[end] != closing(text[i]) {
			return nil, text
		}
		end++
	}
	return label, text[end:]
}

// inLabel tells what may stand in a label: neither brackets nor what makes code,
// markup or JSON of it, nor white space but blanks. Nothing of that is escaped
// in JSON, so that a text and the verbatim form of it have the same labels.
func inLabel(c byte) bool {
	switch c {
	case '[', ']', '<', '>', '{', '}', '(', ')', '"', '=', ';', '\\':
		return false
	}
	return c >= ' '
}

// closing is the bracket that closes c, 0 if c opens none.
func closing(c byte) byte {
	switch c {
	case '[':
		return ']'
	case '<':
		return '>'
	case '{':
		return '}'
	case '(':
		return ')'
	}
	return 0
}

// opening is the bracket that c closes, 0 if c closes none.
func opening(c byte) byte {
	for _, open := range []byte("[<{(") {
		if closing(open) == c {
			return open
		}
	}
	return 0
}

// hidden is what a label says of what it stands for: that it was redacted or
// cut, in one of its words, or what it was, such as EMAIL_ADDRESS_1. The latter
// is in capitals, and one of the things that are looked for to be hidden: other
// words in brackets are what a tool or a person wrote.
func hidden(label []byte) Cause {
	switch {
	case isNational(label), bytes.EqualFold(label, []byte("filtered")), string(label) == "elided", string(label) == "sensitive_data": // Sentry, Google's ADK, Datadog
		return RedactedContent
	case bytes.HasPrefix(label, []byte("This value has been dropped")): // Datadog
		return TruncatedContent
	case bytes.HasPrefix(label, []byte("tool: ")), bytes.HasPrefix(label, []byte("tool-result: ")): // Mastra
		return LossyContent
	case string(label) == "Output was truncated due to size limits": // a shell tool of deepagents and eino
		return Computable
	}
	capitals, entity := true, false
	for len(label) > 0 {
		n := 0
		for n < len(label) && chars.IsLetter(label[n]) {
			n++
		}
		if n == 0 {
			c := label[0]
			capitals = capitals && (c == '_' || c == ' ' || c == '-' || chars.IsDigit(c))
			label = label[1:]
			continue
		}
		var buffer [16]byte
		word := label[:n]
		label = label[n:]
		if n > len(buffer) {
			capitals = false
			continue
		}
		upper := buffer[:n]
		for i, c := range word {
			upper[i] = c &^ ' '
		}
		switch string(upper) {
		case "REDACTED", "MASKED", "SCRUBBED", "ANONYMIZED", "ANONYMISED":
			return RedactedContent
		case "TRUNCATED":
			return TruncatedContent
		case "OMITTED":
			return LossyContent
		}
		capitals = capitals && bytes.Equal(word, upper)
		entity = entity || isEntity(upper)
	}
	if capitals && entity {
		return RedactedContent
	}
	return Computable
}

// isEntity knows the words by which detectors of personal data call what they
// find: those of Presidio's and of Amazon's entity types.
func isEntity(word []byte) bool {
	switch string(word) {
	case "PII", "PHI", "PERSON", "NAME", "USERNAME", "EMAIL", "PHONE", "ADDRESS", "LOCATION", "AGE", "SSN", "NRP", "ORGANIZATION", //nolint:misspell // as Presidio has it
		"PASSPORT", "LICENSE", "DRIVER", "VEHICLE", "IBAN", "SWIFT", "BANK", "CARD", "CRYPTO", "PIN", "PASSWORD", "SECRET", "KEY", "IP", "MAC", "URL", "NHS", "ITIN", "DATE":
		return true
	}
	return false
}

// isNational knows Amazon's kinds of numbers that a state gives its people, such as
// US_SOCIAL_SECURITY_NUMBER: [TAX] and [HEALTH CHECK] are a tool's own.
func isNational(label []byte) bool {
	state, kind, _ := bytes.Cut(label, []byte("_"))
	switch string(state) {
	case "CA", "UK", "US":
		return bytes.Contains(kind, []byte("_NUMBER"))
	}
	return false
}

// placeholderIn is placeholder of a text as JSON.
func (w *Writer) placeholderIn(v rawjson.Value) Cause {
	if len(v) <= len(`""`) || len(v) > longestEscaped+len(`""`) {
		return Computable
	}
	w.leaf, _ = rawjson.AppendText(w.leaf[:0], v[1:len(v)-1])
	return placeholder(bytes.TrimSpace(w.leaf))
}
