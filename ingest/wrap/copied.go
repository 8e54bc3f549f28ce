package wrap

import (
	"bytes"
	"encoding/json"
	"strings"
)

// copied undoes what databases write in front of each backslash of a text, which
// makes JSON of a line that was none any more: PostgreSQL's COPY of row_to_json,
// mysql and ClickHouse without a format of JSON. So does morgan, of quotes too.
type copied struct{ text []byte }

// copiedOf is this wrapper, unless to undo it makes lines no JSON that are some as
// they are: then those that are none have their backslashes from elsewhere, such as
// clients whose texts a logger does not escape.
func copiedOf(data []byte) []*Wrapper {
	for line := range bytes.Lines(data) {
		if bytes.IndexByte(line, '\\') >= 0 && json.Valid(line) && !json.Valid(appendCopied(nil, line)) {
			return nil
		}
	}
	return []*Wrapper{{Name: "copied", Detect: isEscapedJSON, New: fresh[copied]}}
}

func (c *copied) Unwrap(line Line, next func(Line)) string {
	if bytes.IndexByte(line.Text, '\\') < 0 {
		next(line)
		return ""
	}
	c.text = appendCopied(c.text[:0], line.Text)
	next(line.made(c.text))
	return ""
}

// Null is what they write for no value.
const Null = `\N`

// Uncopied is the value of a row of tabs, which databases write with backslashes: JSON
// that is none before they are undone; any other text as it is.
func Uncopied(cell []byte) []byte {
	if isEscapedJSON(cell) {
		return appendCopied(nil, cell)
	}
	return cell
}

// isEscapedJSON tells a text that is an object or an array, once what is escaped in
// it was undone, and not before.
func isEscapedJSON(text []byte) bool {
	return len(text) > 0 && (text[0] == '{' || text[0] == '[') && (bytes.Contains(text, []byte(`\\`)) || bytes.HasPrefix(text, []byte(`{\"`))) &&
		!json.Valid(text) && json.Valid(appendCopied(nil, text))
}

// appendCopied appends a text without the escapes of PostgreSQL's COPY, which mysql
// and ClickHouse have too.
func appendCopied(dst, text []byte) []byte {
	for {
		before, after, found := bytes.Cut(text, []byte{'\\'})
		if dst = append(dst, before...); !found || len(after) == 0 {
			return dst
		}
		c := after[0]
		if i := strings.IndexByte("ntrbfv0", c); i >= 0 {
			c = "\n\t\r\b\f\v\x00"[i]
		}
		dst, text = append(dst, c), after[1:]
	}
}
