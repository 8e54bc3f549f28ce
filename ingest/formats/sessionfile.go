package formats

import (
	"path"
	"strings"
)

// sessionFile is the file that a session of an agent is kept in, whose lines do not say
// whose they are: its name does.
type sessionFile struct {
	named   func(name string) string // the session in a name; empty if there is none
	name    string
	session []byte
}

// Of reads the session in the name.
func (f *sessionFile) Of(name string) {
	if name == f.name {
		return
	}
	f.name, f.session = name, nil
	if session := f.named(name); session != "" {
		f.session = []byte(session)
	}
}

// stemOf is the name of a file up to the first dot, without the folders.
func stemOf(name string) string {
	stem, _, _ := strings.Cut(path.Base(strings.ReplaceAll(name, `\`, "/")), ".")
	return stem
}
