package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// raw is an object of JSON that comes next as it is, in quotes or not, as
// escape=none writes a body; nil if none does. After one that is none no others
// of the line are looked at: each would be read to its end.
func (p *combined) raw(f *words) []byte {
	text := f.text[f.pos:]
	unquoted := bytes.TrimPrefix(text, []byte(`"`))
	if p.cooked || len(unquoted) == 0 || unquoted[0] != '{' {
		return nil
	}
	s := &p.json
	s.Reset(unquoted)
	s.Skip()
	object, quotes := unquoted[:s.Offset()], len(text)-len(unquoted)
	if p.cooked = s.Err() != nil || quotes > 0 && !bytes.HasPrefix(unquoted[len(object):], []byte(`"`)); p.cooked {
		return nil
	}
	f.pos += len(object) + 2*quotes
	return object
}

// unnamed takes an object if it is a request to a model: nginx is often told to
// write "$request_body" behind the user agent, and headers and the response in
// the same way.
func (p *combined) unnamed(object []byte) {
	s := &p.json
	s.Reset(object)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "messages", "input", "prompt", "contents", "inputText":
			if kind := s.Kind(); kind == rawjson.Array || kind == rawjson.String {
				p.object = first(p.object, object)
				return
			}
		}
	}
}
