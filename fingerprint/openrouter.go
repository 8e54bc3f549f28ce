package fingerprint

import (
	"bytes"
	"encoding/json"
	"unicode"
	"unicode/utf8"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// openRouterJSON is jcs with the depth at which the SDK refuses arguments.
var openRouterJSON = func() *jsonStyle {
	style := *jcs
	style.maxDepth = 64
	return &style
}()

// newOpenRouter is the fingerprint of the OpenRouter agent SDK: SHA-256 of the
// tool's name, a newline and the arguments by RFC 8785. Blank arguments are an
// empty object to the SDK, and what is no JSON is a text. What it refuses to
// canonicalise is not computable.
func newOpenRouter(o Options) (*Identity, error) {
	if err := o.refuseBut(); err != nil {
		return nil, err
	}
	return &Identity{Name: "openrouter", Reads: ReadsMessages | ReadsResponse, Sees: SeesCalls, compute: func(r *Request, w *Writer) Cause {
		calls, cause := w.issuedCalls(r)
		for _, call := range calls {
			dst := append(appendUTF8(w.canonical[:0], call.Name), '\n')
			arguments := bytes.TrimFunc(call.Arguments, isJavaScriptSpace)
			if len(arguments) == 0 {
				arguments = []byte("{}")
			}
			canonical, ok := w.args.append(dst, arguments, openRouterJSON, nil)
			switch {
			case ok && bytes.IndexFunc(arguments, unicode.IsControl) < 0: // which the scanner takes in strings
			case !json.Valid(arguments):
				canonical = openRouterJSON.text(dst, call.Arguments)
			case !ok:
				w.canonical = canonical
				return NotCanonical
			}
			w.emit(canonical, hash256)
			w.called(call)
		}
		return cause
	}}, nil
}

// appendUTF8 appends a name as JavaScript encodes it: half of a surrogate pair
// is U+FFFD.
func appendUTF8(dst, name []byte) []byte {
	for len(name) > 0 {
		r, n := rawjson.DecodeRune(name)
		dst = utf8.AppendRune(dst, r)
		name = name[n:]
	}
	return dst
}

// isJavaScriptSpace tells what JavaScript's trim takes off.
func isJavaScriptSpace(r rune) bool {
	return unicode.IsSpace(r) && r != '\u0085' || r == '\uFEFF'
}
