package ingest

import (
	"fmt"
	"strconv"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/formats"
)

// deeper finds lines of a known format that lie deeper in a JSON document than
// in what is undone, as in the answers of an API. It says where, as a path of jq
// that finds them all. data may be cut.
func deeper(data []byte) (f *formats.Format, path string) {
	d := digger{data: data, looks: mostLooks}
	d.scan.Reset(data)
	return d.into("", maxDig)
}

const (
	mostLooks = 200 // for each of them all formats are tried
	maxDig    = 8   // containers in containers
	fewFirst  = 3   // elements of an array that are looked at
)

type digger struct {
	data  []byte
	scan  rawjson.Scanner
	value rawjson.Scanner // a value by itself: what is cut ends there
	looks int
}

// into looks into what comes next, which lies at path.
func (d *digger) into(path string, depth int) (*formats.Format, string) {
	kind := d.scan.Kind()
	switch {
	case depth == 0 || d.looks == 0:
		d.scan.Skip()
	case kind == rawjson.Object:
		for d.scan.Object(); d.scan.NextKey(); {
			if f, found := d.at(path+member(d.scan.Key), depth); f != nil {
				return f, found
			}
		}
	case kind == rawjson.Array:
		n := 0
		for d.scan.Array(); d.scan.NextElement(); n++ {
			if n >= fewFirst {
				d.scan.Skip()
				continue
			}
			step := "[]"
			if n > 0 && d.scan.Kind() == rawjson.String { // in a row, such as time and line
				step = "[" + strconv.Itoa(n) + "]"
			}
			if path == "" {
				step = "." + step
			}
			if f, found := d.at(path+step, depth); f != nil {
				return f, found
			}
		}
	default:
		d.scan.Skip()
	}
	return nil, ""
}

// at looks at the value that comes next and lies at path, then into it.
func (d *digger) at(path string, depth int) (*formats.Format, string) {
	if f := d.whole(); f != nil {
		return f, path
	}
	return d.into(path, depth-1)
}

// whole is the format of the value that comes next.
func (d *digger) whole() *formats.Format {
	kind := d.scan.Kind()
	if kind != rawjson.Object && kind != rawjson.String || d.looks == 0 {
		return nil
	}
	d.looks--
	d.value.Reset(d.data[d.scan.Offset():])
	text := []byte(d.value.Value())
	if d.value.Err() != nil {
		return nil
	}
	if kind == rawjson.String {
		d.value.Reset(text)
		text = d.value.Text(nil)
	}
	return Detect(text)
}

// member is the step of jq to a member. What looks like no name may be a secret,
// and stands for all members.
func member(name []byte) string {
	const longest = 40
	plain := len(name) > 0 && len(name) <= longest
	quoted := false
	for i, c := range name {
		switch {
		case c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		case '0' <= c && c <= '9':
			quoted = quoted || i == 0
		case c == '@' || c == '.' || c == '-':
			quoted = true
		default:
			plain = false
		}
	}
	switch {
	case !plain:
		return ".[]"
	case quoted:
		return fmt.Sprintf(".%q", name)
	}
	return "." + string(name)
}
