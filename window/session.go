package window

import (
	"bytes"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// LogSession stands in ExtractOptions.Sessions for the session that the log's
// format found, in the order that gateways have.
const LogSession = "log"

// Reads is what has to be read of a request for the options, beside what the
// plan's rules need.
func (o *ExtractOptions) Reads() fingerprint.Field {
	for _, name := range o.Sessions {
		if name != LogSession {
			return fingerprint.ReadsAttributes
		}
	}
	return 0
}

// nameSession gives a request the session that the policy asks for: the first
// place of its list that names one.
func (o *ExtractOptions) nameSession(r *fingerprint.Request) {
	if o.Sessions == nil {
		return
	}
	found := r.Session
	r.Session = nil
	for _, name := range o.Sessions {
		value := found
		if name != LogSession {
			value = attribute(r, name)
		}
		if fingerprint.NamesSession(value) {
			r.Session = value
			return
		}
	}
}

// attribute is the attribute called name. Case does not matter in the name of
// a header, which logs write as clients did, or not.
func attribute(r *fingerprint.Request, name string) []byte {
	if !strings.HasPrefix(name, "header:") {
		return r.Attribute(name)
	}
	for i := range r.Attributes {
		if a := &r.Attributes[i]; len(a.Name) == len(name) && bytes.EqualFold(a.Name, []byte(name)) {
			return a.Value
		}
	}
	return nil
}
