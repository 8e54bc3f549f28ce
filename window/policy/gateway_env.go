package policy

import (
	"regexp"
	"slices"
	"strings"
)

// assignment is a line of an environment file.
var assignment = regexp.MustCompile(`^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$`)

// variable is what an environment file sets.
type variable struct {
	value string
	line  int
}

// readEnvironment reads NAME=value lines, as in a .env file: blank lines, comments
// and export are fine, a value may be quoted, and of two the last counts. It
// stops at a wrong line, which is none of that; 0 is no such line.
func readEnvironment(text []byte) (vars map[string]variable, names []string, wrong int) {
	vars = map[string]variable{}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		m := assignment.FindStringSubmatch(line)
		if m == nil {
			return vars, names, n
		}
		value := m[2]
		switch quote := value[:min(1, len(value))]; quote {
		case `"`, "'":
			inside, _, closed := strings.Cut(value[1:], quote)
			if !closed {
				return vars, names, n
			}
			value = inside
		default:
			value, _, _ = strings.Cut(value, " #")
			value = strings.TrimSpace(value)
		}
		if _, twice := vars[m[1]]; !twice {
			names = append(names, m[1])
		}
		vars[m[1]] = variable{value, n}
	}
	return vars, names, 0
}

// ours finds the variables of a gateway: those with the prefix, in the order
// of the file. Others are not looked at: such files hold secrets.
func (in *imported) ours(prefix string, known []string) (vars map[string]variable) {
	vars, names, wrong := readEnvironment(in.Text)
	if wrong > 0 {
		in.errors = append(in.errors, Problem{File: in.File, Line: wrong, Column: 1, What: "must be NAME=value"})
		return nil
	}
	for _, name := range names {
		if strings.HasPrefix(name, prefix) && !slices.Contains(known, name) {
			in.say(name, "is no setting of loops that is known, and not in the policy%s", suggest(name, known))
		}
	}
	return vars
}
