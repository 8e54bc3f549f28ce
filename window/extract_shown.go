package window

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// maxNames and maxName bound the tables of texts: sessions come and go, and
// somebody may put a novel into a path.
const (
	maxNames = 1 << 12
	maxName  = 256
)

// mostOfName and shownOfName bound what names something, a session as well as a
// path, in bytes: somebody may make up a megabyte, which would be kept as long as
// what it did, and in each verdict. Of a longer one the beginning is written, and a
// hash of all.
const (
	mostOfName  = 1 << 10
	shownOfName = 256
)

// Person is how a session, user or caller is written.
func (o *ExtractOptions) Person(name string) string {
	if !o.hides(len(name)) {
		return writable(name)
	}
	return o.hidden(o.mac(), []byte(name))
}

// hides tells whether a name of so many bytes is not written as it is.
func (o *ExtractOptions) hides(size int) bool {
	return size > 0 && o.HashIDs || size > mostOfName
}

// hidden is what is written of such a name.
func (o *ExtractOptions) hidden(mac hash.Hash, name []byte) string {
	if o.HashIDs {
		return hashedName(mac, name)
	}
	return shortened(mac, name)
}

// shortened is what is written of a name that is longer than any.
func shortened(mac hash.Hash, name []byte) string {
	return cut(name, shownOfName) + hashedName(mac, name)
}

func hashedName(mac hash.Hash, name []byte) string {
	mac.Reset()
	mac.Write(name)
	var sum [sha256.Size]byte
	return "id-" + hex.EncodeToString(mac.Sum(sum[:0])[:6])
}

// shown is a scope's value as it may be written.
func (x *Extractor) shown(field string, text []byte) string {
	switch field {
	case "session", "conversation", "caller", "user":
		return x.person(text)
	}
	if strings.HasPrefix(field, "attr:header:") {
		// Headers carry keys. Their values are told apart, never written.
		sum := sha256.Sum256(text)
		return "header-" + hex.EncodeToString(sum[:6])
	}
	if strings.HasPrefix(field, "attr:") {
		return x.person(text)
	}
	return x.name(text)
}

// name is text as a string that events share.
func (x *Extractor) name(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	if s, ok := x.names[string(text)]; ok {
		return s
	}
	if len(text) > mostOfName {
		return shortened(x.mac, text)
	}
	if len(text) > maxName {
		return writable(string(text))
	}
	if len(x.names) >= maxNames {
		clear(x.names)
	}
	s := writable(string(text))
	x.names[string(text)] = s
	return s
}

// recent is what the request before was called: the next is mostly called the
// same.
type recent struct {
	method, path, model, backend, tool string

	key    []byte // the caller as logged
	isName bool
	caller string
}

// again is name of a text that is mostly the one before.
func (x *Extractor) again(before *string, text []byte) string {
	if *before != string(text) {
		*before = x.name(text)
	}
	return *before
}

// caller is what may be written of the caller.
func (x *Extractor) caller(r *fingerprint.Request) string {
	c := &x.recent
	if !bytes.Equal(c.key, r.Caller) || c.isName != r.CallerIsName {
		c.key, c.isName = append(c.key[:0], r.Caller...), r.CallerIsName
		c.caller = x.person(r.CallerName(x.writer))
	}
	return c.caller
}

// maxTool is how much of a tool's name is kept: providers allow 64 bytes, and
// a model may make up a name.
const maxTool = 128

// maxText is how much of a call's text is kept, where it is.
const maxText = 4 << 10

// tool is a tool's name.
func (x *Extractor) tool(name []byte) string {
	if len(name) > maxTool {
		return cut(name, maxTool)
	}
	return x.again(&x.recent.tool, name)
}

// cut is the beginning of a text, of at most so many bytes.
func cut(text []byte, most int) string {
	if len(text) <= most {
		return writable(string(text))
	}
	return string(bytes.ToValidUTF8(text[:most], nil)) + "…"
}

// writable is text without the bytes that are no UTF-8: neither JSON nor
// Parquet can hold them. Names that differ in these alone look alike, and are
// told apart all the same.
func writable(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// idBytes is room for the ids of a hundred requests or so, which share memory:
// it stays as long as one of them does.
const idBytes = 4 << 10

// text is text as a string that shares its memory with others.
func (x *Extractor) text(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	if len(text) > mostOfName {
		return shortened(x.mac, text)
	}
	if !utf8.Valid(text) {
		return writable(string(text))
	}
	if len(text) > cap(x.ids)-len(x.ids) {
		x.ids = make([]byte, 0, max(idBytes, len(text))) // what stands in the old stays there
	}
	n := len(x.ids)
	x.ids = append(x.ids, text...)
	return unsafe.String(&x.ids[n], len(text))
}

// person is Person of a name.
func (x *Extractor) person(text []byte) string {
	if !x.o.hides(len(text)) {
		return x.name(text)
	}
	if s, ok := x.hashed[string(text)]; ok {
		return s
	}
	s := x.o.hidden(x.mac, text)
	if len(text) <= maxName {
		if len(x.hashed) >= maxNames {
			clear(x.hashed)
		}
		x.hashed[string(text)] = s
	}
	return s
}
