package wrap

import "github.com/loopgauge/loopgauge/fingerprint/rawjson"

// splunk undoes what an export of a search gives, an event a line with the
// text of it in result._raw.
type splunk struct{ message }

func newSplunk() Unwrapper { return &splunk{message{envelope{members: []string{"_raw"}}}} }

func isSplunk(m Members) bool {
	return m["result"].Kind() == rawjson.Object && m.Any("preview", "offset", "lastrow")
}

func (p *splunk) Unwrap(line Line, next func(Line)) string {
	s := &p.scan
	s.Reset(line.Text)
	var event rawjson.Value
	for s.Object(); s.NextNamed("result"); {
		event = s.Value()
	}
	if why := failure(s); why != "" {
		return why
	}
	return p.message.Unwrap(line.made(event), next)
}
