package window

import (
	"strings"
	"time"
)

// Lasting writes a duration as a policy has it, without the zero units that
// Go's form ends with: 10m, not 10m0s.
func Lasting(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
