package wrap

import "github.com/loopgauge/loopgauge/fingerprint/rawjson"

// quoted undoes lines that are JSON strings.
type quoted struct{ scan rawjson.Scanner }

func detectQuoted(line []byte) bool {
	var s rawjson.Scanner
	s.Reset(line)
	if s.Kind() != rawjson.String {
		return false
	}
	s.Skip()
	return s.End() == nil
}

func (p *quoted) Unwrap(line Line, next func(Line)) string {
	s := &p.scan
	s.Reset(line.Text)
	if s.Kind() != rawjson.String {
		return "expected a JSON string"
	}
	text := s.Text(nil)
	why := failure(s)
	if why == "" {
		next(line.made(Unencoded(text)))
	}
	return why
}
