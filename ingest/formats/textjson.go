package formats

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// jsonWithin is the object or list that a text is: of JSON or of Python's
// repr; or the object that it ends with, behind words; or that in base64. Else it
// is nil. What begins as JSON is taken for it, whole or cut.
func jsonWithin(text []byte) []byte {
	text = bytes.TrimSpace(text)
	if len(text) < 2 {
		return nil
	}
	switch {
	case isPython(text):
		if out, ok := appendPython(nil, text); ok {
			return out
		}
		return nil
	case text[0] == '{', text[0] == '[' && strings.IndexByte(`{["]`, afterBracket(text)) >= 0:
		return text
	}
	if len(text)%4 == 0 && bytes.IndexByte(text, ' ') < 0 {
		if decoded, err := base64.StdEncoding.AppendDecode(nil, text); err == nil {
			return inWords(decoded)
		}
	}
	return inWords(text)
}

// inWords is the object that a text ends with, or is.
func inWords(text []byte) []byte {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[len(text)-1] != '}' {
		return nil
	}
	if at := bytes.IndexByte(text, '{'); at == 0 {
		return text
	}
	if at := bytes.Index(text, []byte(`{"`)); at > 0 {
		return text[at:]
	}
	return nil
}

// isPython tells a dict or a list in Python's repr: JSON has no such quotes.
func isPython(text []byte) bool {
	if len(text) < 2 || text[0] != '{' && text[0] != '[' {
		return false
	}
	return afterBracket(text) == '\'' || text[0] == '[' && bytes.HasPrefix(text[1:], []byte("{'"))
}

// afterBracket is what follows the first bracket of a text, 0 if nothing does.
func afterBracket(text []byte) byte {
	if inner := bytes.TrimLeft(text[1:], " \t\r\n"); len(inner) > 0 {
		return inner[0]
	}
	return 0
}

// fromBase64 appends the object of JSON that a text is in base64.
func fromBase64(dst, text []byte) (object []byte, ok bool) {
	if !bytes.HasPrefix(text, []byte("ey")) && !bytes.HasPrefix(text, []byte("ew")) { // {" or {, and a new line
		return dst, false
	}
	object, err := base64.StdEncoding.AppendDecode(dst, text)
	if n := len(dst); err != nil || len(object) < n+2 || strings.IndexByte("\" \r\n", object[n+1]) < 0 { // a word that begins so
		return dst, false
	}
	return object, true
}
