package fingerprint

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// The bounds of the tool-call proxy: longer arguments are hashed, and so is
// text too long to be parsed.
const (
	signatureChars = 1024
	signatureBytes = 1 << 20
)

// newToolCallPython is the signature of the tool-call proxy: name:arguments,
// the arguments as Python's json.dumps(sort_keys=True, ensure_ascii=False)
// writes them. Arguments that are not JSON stay as they are; the original
// tries to repair them first, which is not followed here.
func newToolCallPython(o Options) (*Identity, error) {
	if err := o.refuseBut(); err != nil {
		return nil, err
	}
	return &Identity{Name: "tool-call-python", Reads: ReadsMessages | ReadsResponse, Sees: SeesCalls, compute: func(r *Request, w *Writer) Cause {
		calls, cause := w.issuedCalls(r)
		for _, call := range calls {
			dst := append(append(w.canonical[:0], call.Name...), ':')
			arguments := call.Arguments
			if arguments == nil { // the proxy takes none for an empty object, but not an empty text
				arguments = []byte("{}")
			}
			w.emit(w.appendSignature(dst, arguments), hash128)
			w.called(call)
		}
		return cause
	}}, nil
}

func (w *Writer) appendSignature(dst, arguments []byte) []byte {
	if len(arguments) > signatureBytes {
		return w.appendHashed(dst, arguments)
	}
	from := len(dst)
	dst, ok := w.args.append(dst, arguments, pythonUTF8, nil)
	if !ok || rawText(arguments) {
		return append(dst[:from], arguments...)
	}
	if canonical := dst[from:]; len(canonical) > signatureChars && characters(canonical) > signatureChars {
		w.text = append(w.text[:0], canonical...)
		return w.appendHashed(dst[:from], w.text)
	}
	return dst
}

// rawText reports whether a JSON text is a string with a raw control character,
// which Python refuses to parse. The original repairs what is in an object or an
// array, but leaves a text alone.
func rawText(text []byte) bool {
	text = bytes.Trim(text, " \t\r\n")
	return len(text) > 0 && text[0] == '"' && bytes.IndexFunc(text, func(r rune) bool { return r < ' ' }) >= 0
}

// characters counts code points as Python's len does.
func characters(text []byte) (n int) {
	for len(text) > 0 {
		_, w := rawjson.DecodeRune(text)
		text = text[w:]
		n++
	}
	return n
}

// appendHashed appends sha256: and the hash of the text as UTF-8, in which a
// lone surrogate is a question mark.
func (w *Writer) appendHashed(dst, text []byte) []byte {
	w.outer = w.outer[:0]
	for i := 0; i < len(text); {
		r, n := rawjson.DecodeRune(text[i:])
		if utf16.IsSurrogate(r) && n > 1 {
			w.outer = append(w.outer, '?')
		} else if r == utf8.RuneError && n == 1 {
			w.outer = utf8.AppendRune(w.outer, r)
		} else {
			w.outer = append(w.outer, text[i:i+n]...)
		}
		i += n
	}
	sum := sha256.Sum256(w.outer)
	return hex.AppendEncode(append(dst, "sha256:"...), sum[:])
}
