package formats

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// scaffoldLines is from how many lines names are gathered.
const scaffoldLines = 50

// Scaffold is a custom format to begin with for the log that data is the
// beginning of: guesses, and in comments what was left out. It holds names of
// the log, none of its values. The error says why there is nothing to begin
// with.
func Scaffold(data []byte) ([]byte, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if csv := scaffoldCSV(data); csv != nil {
		return csv, nil
	}
	if columns := scaffoldColumns(data); columns != nil {
		return columns, nil
	}
	g := guesser{format: Custom{Missing: missing}}
	var texts [][]byte
	lines := 0
	for line := range bytes.Lines(data) {
		if line = bytes.Trim(line, " \t\r\n"); len(line) == 0 { // as a reader of lines does
			continue
		}
		if lines++; lines > scaffoldLines {
			break
		}
		if first := bytes.TrimLeft(line, "[ "); line[0] == '{' || line[0] == '[' && len(first) > 0 && first[0] == '{' {
			g.record(line)
		} else {
			texts = append(texts, line)
		}
	}
	switch {
	case lines == 0:
		return nil, errors.New("nothing but blank lines")
	case len(texts) == 0 && len(g.paths) == 0:
		return nil, errors.New("JSON without named members")
	case len(g.paths) > 0 && (!isAccess(texts) || !g.isOther()):
		if inside := g.inside(); inside != nil {
			g = *inside
		}
		if calls := g.ofCalls(); calls != nil {
			g = *calls
		}
		times, _ := g.times()
		return g.yaml(times), nil
	}
	if records := overLines(data); records != nil {
		return append([]byte(joinNote), scaffoldText(records)...), nil
	}
	return scaffoldText(texts), nil
}

// guesser gathers what stands in the records of a log.
type guesser struct {
	records [][]byte
	format  Custom // what takes them apart
	paths   []string
	texts   map[string][]byte // an example by path, for the layout of times
	deep    []string          // paths that only a time is looked for in
	nulls   []string          // paths to null, as to the error of calls that did not fail
	inTexts map[string]bool   // paths to texts that hold JSON: whether they are it
	talks   []string          // paths to lists of messages
	spoiled []string          // paths to texts of objects that nobody can read back
	stream  string            // the path to a text of events
	from    string            // where jq finds the records, if they are in a list
	paged   bool              // that is one into which reading does not look
	only    string            // what jq selects of them, if they are of several kinds
	onlyOf  string            // what those are
	labels  bool              // lines have labels, as access logs do: Apache's have the start
}

const (
	// maxGathered bounds what is listed: a person goes through it.
	maxGathered = 200
	// maxDeep bounds how deep names are listed, and maxTimeDeep how deep a time
	// is looked for.
	maxDeep, maxTimeDeep = 5, 10
)

// record gathers from a line of JSON.
func (g *guesser) record(line []byte) {
	var s rawjson.Scanner
	s.Reset(line)
	if s.Kind() != rawjson.Array {
		g.records = append(g.records, line)
		g.gather("", line, 0)
		return
	}
	for s.Array(); s.NextElement() && len(g.records) < scaffoldLines; {
		if element := s.Value(); element.Kind() == rawjson.Object {
			g.records = append(g.records, element)
			g.gather("", element, 0)
		}
	}
}

// gather notes the paths to values.
func (g *guesser) gather(prefix string, value []byte, depth int) {
	var s rawjson.Scanner
	s.Reset(value)
	if s.Kind() == rawjson.Array {
		if s.Array(); s.NextElement() {
			g.value(prefix+"0", s.Value(), maxDeep+depth)
		}
		return
	}
	for s.Object(); s.NextKey(); {
		path := prefix + string(s.Key)
		if v := s.Value(); s.Err() == nil {
			g.value(path, v, depth)
		}
	}
}

// value notes the path to a value, and what lies inside of it.
func (g *guesser) value(path string, v rawjson.Value, depth int) {
	if !isPath(path) {
		return
	}
	if v == nil {
		if depth < maxDeep && len(g.nulls) < maxGathered && !slices.Contains(g.nulls, path) {
			g.nulls = append(g.nulls, path)
		}
		return
	}
	var t rawjson.Scanner
	t.Reset(v)
	example := t.Text(nil)
	inner := []byte(v)
	events := bytes.HasPrefix(example, []byte("data:")) || bytes.HasPrefix(example, []byte("event:"))
	if events && g.stream == "" {
		g.stream = path
	}
	switch {
	case events: // of which each has a part of the answer
		inner = nil
	case v.Kind() == rawjson.String:
		inner = jsonWithin(example)
	}
	holds := len(inner) > 0 && (inner[0] == '{' || inner[0] == '[')
	if !holds && bytes.HasPrefix(bytes.TrimLeft(example, "["), []byte("{'")) && !slices.Contains(g.spoiled, path) {
		g.spoiled = append(g.spoiled, path)
	}
	if holds && v.Kind() == rawjson.String {
		if g.inTexts == nil {
			g.inTexts = map[string]bool{}
		}
		g.inTexts[path] = bytes.Equal(inner, bytes.TrimSpace(example))
	}
	switch {
	case depth >= maxDeep:
		if !holds {
			g.deeper(path, example)
		}
	case holds && string(inner) == "{}":
		g.note(path, emptyExample)
	case v.Kind() == rawjson.Object || holds && inner[0] == '{':
		g.note(path, nil)
	case holds:
		g.note(path, listExample)
		if hasRoles(inner) && g.has(path) && !slices.Contains(g.talks, path) {
			g.talks = append(g.talks, path)
		}
	default:
		g.note(path, example)
	}
	if holds && depth < maxTimeDeep {
		g.gather(path+".", inner, depth+1)
	}
}

// text notes a part of a line of text or CSV, and what lies inside of it.
func (g *guesser) text(name string, part []byte) {
	part = (&custom{c: &g.format}).unescaped(part)
	g.value(name, rawjson.AppendString(nil, part), 0)
}

// hasRoles tells a list of messages.
func hasRoles(list []byte) bool {
	var s rawjson.Scanner
	s.Reset(list)
	has := false
	if s.Array(); s.NextElement() {
		for s.Object(); s.NextNamed("role"); {
			has = true
		}
	}
	return has
}

// isPath tells whether a path can be written in a custom format.
func isPath(path string) bool {
	return utf8.ValidString(path) && strings.TrimSpace(path) == path && path != "" &&
		!HasIndex(path) && path[0] != '$' && path[0] != '.' && path[len(path)-1] != '.' &&
		!strings.ContainsFunc(path, func(c rune) bool { return !unicode.IsPrint(c) })
}

// note keeps a path with an example, the first that says something.
func (g *guesser) note(path string, example []byte) {
	old, there := g.texts[path]
	switch {
	case !there && len(g.paths) >= maxGathered:
		return
	case there && (says(old) || !says(example)):
		return
	case !there:
		g.paths = append(g.paths, path)
	}
	g.remember(path, example)
}

// told counts the paths that say something.
func (g *guesser) told() (n int) {
	for _, p := range g.paths {
		if says(g.texts[p]) {
			n++
		}
	}
	return n
}

func says(example []byte) bool { return len(example) > 0 && string(example) != "-" }

// deeper keeps a path that may lead to a time.
func (g *guesser) deeper(path string, example []byte) {
	if _, there := g.texts[path]; !there && len(g.deep) < maxGathered && len(guessLayouts(example)) > 0 {
		g.deep = append(g.deep, path)
		g.remember(path, example)
	}
}

func (g *guesser) remember(path string, example []byte) {
	if g.texts == nil {
		g.texts = map[string][]byte{}
	}
	g.texts[path] = bytes.Clone(example)
}

// missing are texts that stand for no value, as most logs have them, and missingLine
// says so.
var missing = []string{"-", ""}

const missingLine = "missing: ['-', '']\n"

// unfoundNotes stand behind fields that were not found.
var unfoundNotes = map[string]string{"end": " # in the place of time, if that is when calls ended"}

// zoneLine stands where times have no zone.
const zoneLine = "# timezone: Europe/Warsaw # that of its times, which have none; else UTC\n"

// yaml writes the file, with the time where it was found.
func (g *guesser) yaml(times CustomField) []byte {
	var b bytes.Buffer
	b.WriteString(missingLine)
	if zoneOfLayout(times.Layout) == noZone {
		b.WriteString(zoneLine)
	}
	b.WriteString("# A guess: check each line, see docs/formats.md, then run\n# loopgauge formats --format THIS.yaml LOG\n")
	b.WriteString(g.notes(times))
	b.WriteString("fields:\n")
	used := map[string]bool{}
	for _, field := range []string{"body", "response"} { // each is taken apart whole, and passed on it is no other one
		for _, path := range g.shapes(field) {
			for _, p := range g.paths {
				used[p] = used[p] || strings.HasPrefix(p, path+".")
			}
		}
	}
	callers := map[string]bool{"caller": true, "caller_name": true} // one is enough
	called, over := false, g.isOver(times)
	for i, x := range guesses {
		if x.field == "time" {
			for _, t := range times.Paths {
				used[t] = true
			}
			b.WriteString(g.timeLine(times, over))
			continue
		}
		again := slices.ContainsFunc(guesses[i+1:], func(more guess) bool { return more.field == x.field })
		if callers[x.field] && called || x.field == "caller" && again && !g.keyed() || x.field == "end" && over {
			continue
		}
		path := g.pick(x.field, x.names, used, !again)
		if path == "" && x.field == "model" && g.shaped("body") == "" { // the one that answered, where what was asked is not said
			if answered := g.shaped("response") + ".model"; g.has(answered) {
				path = answered
			}
		}
		switch {
		case path != "":
			used[path] = true
			called = called || callers[x.field]
			switch x.field {
			case "response":
				used[path+".tool_calls"] = true
			case "caller":
				for _, key := range g.keys(path) {
					used[key] = true
				}
			}
			fmt.Fprintf(&b, "  %s: %s\n", x.field, g.spec(x.field, path))
		case !again:
			if path := g.pickNull(x.names); path != "" && x.field != "id" { // that may be of several requests
				called = called || callers[x.field]
				fmt.Fprintf(&b, "  %s: %s # null so far\n", x.field, quotedYAML(path))
				continue
			}
			fmt.Fprintf(&b, "  # %s:%s\n", x.field, unfoundNotes[x.field])
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
	if paths := g.shapes(field); len(paths) > 0 {
		return paths[0]
	}
	return ""
}

// shapes are the paths to all that have the shape: gateways log what they passed on, too.
func (g *guesser) shapes(field string) (paths []string) {
	members := map[string][]string{"body": {"messages", "input", "contents"}, "response": {"choices", "usage", "candidates"}}[field]
	for _, p := range g.paths {
		for _, m := range members {
			parent, ok := strings.CutSuffix(p, "."+m)
			switch {
			case !ok || !g.has(parent): // or a name with dots in it: gen_ai.request.messages
			case field == "body" && m != "contents" && !g.has(parent+".model"):
			case field == "body" && (slices.ContainsFunc([]string{"output", "method", "status", "tool_calls"}, func(beside string) bool { return g.has(parent + "." + beside) }) || g.counts(parent)), m == "usage" && (!g.holds(p) || g.has(parent+".input") || g.has(parent+".messages")): // the whole call, or what it cost
			case m == "usage" && !slices.ContainsFunc([]string{"output", "content", "message"}, func(beside string) bool { return g.has(parent + "." + beside) }):
			case !slices.Contains(paths, parent):
				paths = append(paths, parent)
			}
		}
	}
	if field == "response" && g.stream != "" {
		paths = append(paths, g.stream)
	}
	return paths
}

// counts tells whether an object says how many tokens came in, as that of a whole call does.
func (g *guesser) counts(object string) bool {
	return slices.ContainsFunc(g.paths, func(p string) bool {
		member, ok := strings.CutPrefix(p, object+".")
		return ok && !strings.Contains(member, ".") && slices.ContainsFunc(namesOf("tokens_in"), func(name string) bool { return isNamed(member, name) })
	})
}

// isOther tells records that say nothing of what was asked: those of a program that writes
// its access log as text between them, as KrakenD does.
func (g *guesser) isOther() bool {
	return !slices.ContainsFunc([]string{"url", "body", "messages", "response", "model"}, func(field string) bool { return g.guessed(field, nil) != "" })
}

// holding are the fields that may be objects or lists, beside bodies; others are
// texts or numbers.
var holding = map[string]bool{"headers": true, "messages": true, "tool_calls": true}

// listExample is the example of all lists, emptyExample of an object without members.
var listExample, emptyExample = []byte("["), []byte("{}")

// bodyMembers are what a body may have, one at least.
var bodyMembers = map[string][]string{
	"body":     {"messages", "input", "prompt", "contents", "inputText"},
	"response": {"choices", "output", "content", "candidates", "usage", "error", "message", "tool_calls", "parts"},
}

// holds tells whether a path leads to an object.
func (g *guesser) holds(path string) bool {
	return slices.ContainsFunc(g.paths, func(p string) bool { return strings.HasPrefix(p, path+".") })
}

func (g *guesser) has(path string) bool {
	_, ok := g.texts[path]
	return ok
}

func quotedYAML(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func listYAML(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = quotedYAML(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// pathsYAML is one path as itself, and several as a list.
func pathsYAML(paths []string) string {
	if len(paths) == 1 {
		return quotedYAML(paths[0])
	}
	return listYAML(paths)
}
