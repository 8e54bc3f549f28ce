package formats

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// scaffoldLines is from how many lines names are gathered.
const scaffoldLines = 50

// guesses are the names, in lower case and without - and _, under which
// gateways log a field, the likeliest first.
var guesses = []struct {
	field string
	names []string
}{
	{"time", []string{"time", "timestamp", "ts", "@timestamp", "starttime", "startedat", "date", "datetime", "createdat"}},
	{"end", []string{"end", "endtime", "endedat", "finishedat", "completedat"}},
	{"duration", []string{"duration", "latency", "took", "elapsed", "durationms", "latencyms", "responsetime", "requesttime"}},
	{"id", []string{"requestid", "callid", "reqid", "id", "traceid"}},
	{"method", []string{"method", "httpmethod", "requestmethod", "verb"}},
	{"url", []string{"url", "uri", "requesturi", "target", "path", "endpoint"}},
	{"caller_name", []string{"consumer", "caller", "keyalias", "apikeyname", "client", "app", "team", "tenant"}},
	{"response", []string{"response", "responsebody", "output"}},
	{"body", []string{"body", "requestbody", "request", "prompt"}},
	{"user", []string{"user", "userid", "enduser", "username"}},
	{"session", []string{"sessionid", "session", "conversationid", "conversation", "threadid", "chatid"}},
	{"model", []string{"model", "modelname", "modelid"}},
	{"backend", []string{"provider", "backend", "upstream", "vendor"}},
	{"headers", []string{"headers", "requestheaders"}},
	{"messages", []string{"messages"}},
	{"tool_calls", []string{"toolcalls"}},
	{"status", []string{"status", "statuscode", "httpstatus", "responsecode", "code"}},
	{"error", []string{"error", "errormessage", "err"}},
	{"tokens_in", []string{"prompttokens", "inputtokens", "tokensin"}},
	{"tokens_out", []string{"completiontokens", "outputtokens", "tokensout"}},
	{"cost", []string{"cost", "spend", "price", "costusd"}},
	{"stream", []string{"stream", "streaming", "isstream"}},
	{"cached", []string{"cached", "cachehit"}},
}

// Scaffold is a custom format to begin with for the log that data is the
// beginning of: guesses, and in comments what was left out. It holds names of
// the log, none of its values. The error says why there is nothing to begin
// with.
func Scaffold(data []byte) ([]byte, error) {
	var g guesser
	text := ""
	n := 0
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if n++; n > scaffoldLines {
			break
		}
		if first := bytes.TrimLeft(line, "[ "); line[0] == '{' || line[0] == '[' && len(first) > 0 && first[0] == '{' {
			g.gather("", line, 0)
		} else if text == "" {
			text = string(line)
		}
	}
	switch {
	case n == 0:
		return nil, errors.New("nothing but blank lines")
	case text == "" && len(g.paths) == 0:
		return nil, errors.New("JSON without named members")
	case len(g.paths) > 0:
		return g.yaml(), nil
	}
	return scaffoldText(text), nil
}

type guesser struct {
	paths []string
	texts map[string][]byte // an example by path, for the layout of times
}

// maxGathered bounds what is listed: a person goes through it.
const maxGathered = 200

// gather notes the paths to values.
func (g *guesser) gather(prefix string, value []byte, depth int) {
	var s, t rawjson.Scanner
	s.Reset(value)
	if s.Kind() == rawjson.Array && depth == 0 {
		if s.Array(); !s.NextElement() {
			return
		}
	}
	for s.Object(); s.NextKey(); {
		path := prefix + string(s.Key)
		v := s.Value()
		if v == nil || len(g.paths) >= maxGathered || s.Err() != nil {
			continue
		}
		t.Reset(v)
		example := t.Text(nil)
		inner := bytes.TrimSpace(example)
		switch {
		case v.Kind() == rawjson.Object && depth < 3:
			g.note(path, nil)
			g.gather(path+".", v, depth+1)
		case len(inner) > 0 && inner[0] == '{' && depth < 3: // a text that is JSON
			g.note(path, nil)
			g.gather(path+".", inner, depth+1)
		default:
			g.note(path, example)
		}
	}
}

func (g *guesser) note(path string, example []byte) {
	if g.has(path) || strings.ContainsAny(path, "\r\n") {
		return
	}
	if g.texts == nil {
		g.texts = map[string][]byte{}
	}
	g.texts[path] = bytes.Clone(example)
	g.paths = append(g.paths, path)
}

func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
}

// yaml writes the file.
func (g *guesser) yaml() []byte {
	var b bytes.Buffer
	b.WriteString("# A guess: check each line, see docs/formats.md, then run\n# loopgauge formats --format THIS.yaml LOG\nfields:\n")
	used := map[string]bool{}
	for _, guess := range guesses {
		path := g.shaped(guess.field)
		if path != "" {
			for _, p := range g.paths { // it is taken apart whole
				used[p] = used[p] || strings.HasPrefix(p, path+".")
			}
		}
		for _, name := range guess.names {
			if path != "" {
				break
			}
			for _, p := range g.paths { // the least nested first
				if last := p[strings.LastIndexByte(p, '.')+1:]; folded(last) == name && !used[p] && (path == "" || strings.Count(p, ".") < strings.Count(path, ".")) {
					path = p
				}
			}
		}
		switch {
		case path != "":
			used[path] = true
			fmt.Fprintf(&b, "  %s: %s\n", guess.field, spec(guess.field, path, g.texts[path]))
		case guess.field == "time":
			b.WriteString("  time: TIME # no name looked like one: it must be there\n")
		default:
			fmt.Fprintf(&b, "  # %s:\n", guess.field)
		}
	}
	b.WriteString("# names of the log that are not used above, if any:\n")
	for _, p := range g.paths {
		if !used[p] {
			fmt.Fprintf(&b, "#   %s\n", p)
		}
	}
	return b.Bytes()
}

// shaped is the path to what has the shape of a request or of a response.
func (g *guesser) shaped(field string) string {
	members := map[string][]string{"body": {"messages", "input"}, "response": {"choices", "usage"}}[field]
	for _, p := range g.paths {
		for _, m := range members {
			if parent, ok := strings.CutSuffix(p, "."+m); ok && (field != "body" || g.has(parent+".model")) {
				return parent
			}
		}
	}
	return ""
}

func (g *guesser) has(path string) bool {
	_, ok := g.texts[path]
	return ok
}

// spec is where a field stands, with the layout of a time.
func spec(field, path string, example []byte) string {
	quoted := "'" + strings.ReplaceAll(path, "'", "''") + "'"
	switch {
	case field == "time" || field == "end":
		if layout := guessLayout(example); layout != "" {
			return fmt.Sprintf("{path: %s, layout: '%s'}", quoted, layout)
		}
	case field == "duration" && strings.HasSuffix(folded(path), "ms"):
		return fmt.Sprintf("{path: %s, unit: ms}", quoted)
	case field == "duration" && rawjson.ValidNumber(example):
		return fmt.Sprintf("{path: %s, unit: s} # or ms, us, ns?", quoted)
	}
	return quoted
}

// guessLayouts are layouts of times in text.
var guessLayouts = []string{
	"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006/01/02 15:04:05", "02/Jan/2006:15:04:05 -0700", "01/02/2006 15:04:05", "02.01.2006 15:04:05",
	"Mon, 02 Jan 2006 15:04:05 MST", "Mon Jan 2 15:04:05 2006", "20060102T150405Z0700",
}

// guessLayout is the layout of a time; empty for what needs none.
func guessLayout(example []byte) string {
	if rawjson.ValidNumber(example) {
		whole, _, _ := strings.Cut(string(example), ".")
		switch n := len(whole); {
		case n >= 18:
			return "unix_ns"
		case n >= 15:
			return "unix_us"
		case n >= 12:
			return "unix_ms"
		}
		return ""
	}
	if _, ok := parseTime(example); ok {
		return ""
	}
	p := custom{c: &Custom{}}
	for _, layout := range guessLayouts {
		if _, ok := p.layout(layout, example); ok {
			return layout
		}
	}
	return ""
}

// pairs are key=value, as many loggers write them.
var pairs = regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_]*)=("[^"]*"|\S*)`)

// leadingTime is a time that a line begins with.
var leadingTime = regexp.MustCompile(`^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?`)

// scaffoldText is a custom format for a log of text.
func scaffoldText(line string) []byte {
	var g guesser
	pattern, rest := "^", line
	if at := leadingTime.FindString(line); at != "" {
		inner := strings.Trim(at, "[]")
		g.note("time", []byte(inner))
		width := `\S+`
		if strings.Contains(inner, " ") {
			width = `\S+ [^\s\]]+`
		}
		pattern += strings.Replace(regexp.QuoteMeta(at), regexp.QuoteMeta(inner), `(?P<time>`+width+`)`, 1)
		rest = line[len(at):]
	}
	for _, m := range pairs.FindAllStringSubmatch(rest, -1) {
		if g.has(m[1]) {
			continue
		}
		g.note(m[1], []byte(strings.Trim(m[2], `"`)))
		value := `(?P<` + m[1] + `>\S*)`
		if strings.HasPrefix(m[2], `"`) {
			value = `"(?P<` + m[1] + `>[^"]*)"`
		}
		if pattern += `.*?\b` + m[1] + "="; strings.HasPrefix(m[2], "{") { // JSON goes on to the end of the line
			pattern += `(?P<` + m[1] + `>.*)$`
			break
		}
		pattern += value
	}
	if len(g.paths) == 0 {
		pattern += `(?P<time>\S+) (?P<rest>.*)$`
		g.paths = []string{"time", "rest"}
	}
	head := "# One named group, (?P<NAME>...), for each part of a line: RE2.\npattern: '" + strings.ReplaceAll(pattern, "'", "''") + "'\nmissing: ['-', '']\n"
	return append([]byte(head), g.yaml()...)
}
