package formats

import (
	"bytes"
	"regexp"
	"strings"
)

// fieldsLine names what stands in the lines below it, in W3C's extended log file
// format, as IIS and CloudFront write it.
var fieldsLine = regexp.MustCompile(`^#Fields:\s+(.+)$`)

// albLine is a line of Amazon's Application Load Balancer, and albFields are its parts
// up to the request: of - nothing is read.
var albLine = regexp.MustCompile(`^(?:https?|h2|grpcs|wss?) \d{4}-\d\d-\d\dT\S+Z app/`)

const albFields = `- time - client - - duration - status - - - request`

// scaffoldColumns is a custom format for text of columns that are named in a line of
// the log, or whose places are known; nil if it is none. A date and the time behind it
// are one.
func scaffoldColumns(data []byte) []byte {
	var names []string
	var lines [][]byte
	for line := range bytes.Lines(data) {
		line = bytes.TrimRight(line, " \r\n")
		if of := fieldsLine.FindSubmatch(line); of != nil {
			names = strings.Fields(string(of[1]))
		} else if names == nil && albLine.Match(line) {
			names = strings.Fields(albFields)
		}
		if names != nil && len(line) > 0 && line[0] != '#' && len(lines) < scaffoldLines {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	separator, value := " ", `\S+`
	if bytes.IndexByte(lines[0], '\t') >= 0 {
		separator, value = `\t`, `[^\t]*`
	}
	pattern, seen := "^", map[string]bool{}
	for i, name := range names {
		group := strings.Trim(notOfGroup.ReplaceAllString(name, "_"), "_")
		if i > 0 {
			pattern += separator
		}
		switch {
		case group == "date" && i+1 < len(names) && names[i+1] == "time":
			pattern += `(?P<time>` + value
			continue
		case group == "time" && i > 0 && names[i-1] == "date":
			pattern, group = pattern+value+")", ""
		case group == "" || seen[group] || group[0] <= '9':
			pattern += value
		case name == "request":
			pattern += `"(?P<request>[^"]*)"`
		default:
			pattern += `(?P<` + group + `>` + value + `)`
		}
		seen[group] = true
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil
	}
	g := guesser{records: lines, format: Custom{Pattern: re, Missing: missing}}
	for _, line := range lines {
		for i, part := range re.FindSubmatch(line) {
			if name := re.SubexpNames()[i]; name != "" {
				g.text(name, part)
			}
		}
	}
	times, most := g.times()
	if most == 0 {
		return nil
	}
	return begun(pattern, &g, times)
}

// notOfGroup is what no name of a group has.
var notOfGroup = regexp.MustCompile(`\W+`)
