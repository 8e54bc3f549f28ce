package window

import "slices"

// Severity says how much an incident matters.
type Severity string

const (
	Info     Severity = "info"
	Warning  Severity = "warning"
	Critical Severity = "critical"
)

// Severities are all there are, the least first.
var Severities = []Severity{Info, Warning, Critical}

// Less tells whether s matters less than t.
func (s Severity) Less(t Severity) bool {
	return slices.Index(Severities, s) < slices.Index(Severities, t)
}

// Raised is the severity so many steps up.
func (s Severity) Raised(steps int) Severity {
	return Severities[max(0, min(slices.Index(Severities, s)+steps, len(Severities)-1))]
}

// severityOf begins with what the gateway would have done, and goes up with
// every tenfold growth. So it never goes down while an incident lasts: who was
// told of its opening is told of its end.
func severityOf(action Action, growths int) Severity {
	if action == Throttle || action == Reject || action == Break {
		return Warning.Raised(growths)
	}
	return Info.Raised(growths)
}

// Severity is how much the incident matters now.
func (in *Incident) Severity() Severity { return severityOf(in.Action, in.growths()) }

// Before is how much it mattered at the alert before this one; empty if this
// is the first.
func (in *Incident) Before() Severity {
	switch {
	case in.Revision <= 1:
		return ""
	case in.State == Closed:
		return in.Severity()
	default:
		return severityOf(in.Action, in.growths()-1)
	}
}

// growths is how often it has grown: each alert between the first and the last
// says so.
func (in *Incident) growths() int {
	n := in.Revision - 1
	if in.State == Closed {
		n--
	}
	return n
}
