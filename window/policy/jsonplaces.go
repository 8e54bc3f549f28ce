package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// jsonPlaces are the places of the values of a JSON text, by their paths.
type jsonPlaces struct {
	text    []byte
	decoder *json.Decoder
	offsets map[string]int
}

// placesOfJSON reads a text that is known to be JSON.
func placesOfJSON(text []byte) *jsonPlaces {
	p := &jsonPlaces{text, json.NewDecoder(bytes.NewReader(text)), map[string]int{}}
	p.value("")
	return p
}

func (p *jsonPlaces) value(path string) {
	at := int(p.decoder.InputOffset())
	at += len(p.text[at:]) - len(bytes.TrimLeft(p.text[at:], " \t\r\n:,"))
	p.offsets[path] = at
	switch token, _ := p.decoder.Token(); token {
	case json.Delim('{'):
		for p.decoder.More() {
			name, _ := p.decoder.Token()
			p.value(member(path, fmt.Sprint(name)))
		}
	case json.Delim('['):
		for i := 0; p.decoder.More(); i++ {
			p.value(fmt.Sprintf("%s[%d]", path, i))
		}
	default:
		return
	}
	_, _ = p.decoder.Token() // what closes it
}

// of is the line and column of a value, or of what it is missing in.
func (p *jsonPlaces) of(path string) (line, column int) {
	for {
		if at, found := p.offsets[path]; found {
			return lineColumn(p.text, at)
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
}

// lineColumn is where a byte of a text stands, from 1.
func lineColumn(text []byte, at int) (line, column int) {
	return 1 + bytes.Count(text[:at], []byte("\n")), at - bytes.LastIndexByte(text[:at], '\n')
}
