package formats

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// piece is a part of a line that has a name.
type piece struct {
	from, to int    // in the line
	pattern  string // with one named group, or several
	none     string // of an object: one that matches None, too
	first    bool   // the line begins with it
	must     bool   // no line is without
}

// maxPieces is how many of a line are named: a person goes through them.
const maxPieces = 50

// texter takes lines of text apart.
type texter struct {
	g      guesser
	line   string
	pieces []piece
	of     subject
}

// subject is what a line is about.
type subject uint8

const (
	ofAnything subject = iota
	ofCall             // a request that was answered, as those of servers
	ofAsked            // what was asked, or by whom
	ofGin              // Gin's of a request
)

// scaffoldText is a custom format for a log of text. The line that says most is
// the model of the others: they must match, if need be with less of it. Beside lines
// of requests other ones say more, as those that Ollama starts with, and SGLang writes
// of its batches.
func scaffoldText(lines [][]byte) []byte {
	var best *texter
	for _, line := range lines {
		if t := newTexter(string(line)); best == nil || cmp.Or(cmp.Compare(t.of, best.of), len(t.pieces)-len(best.pieces), t.g.told()-best.g.told()) > 0 {
			best = t
		}
	}
	best.g.records = lines
	pattern, most := "", -1
	var times CustomField
	for _, p := range []string{best.pattern(".*?", "", false), best.pattern(".*?", "", true), best.pattern("(?:.*?", ")?", false)} {
		re, err := regexp.Compile(p)
		if err != nil {
			continue
		}
		best.g.format = Custom{Pattern: re, Missing: missing}
		if at, n := best.g.times(); n > most {
			pattern, times, most = p, at, n
		}
	}
	return begun(pattern, &best.g, times)
}

// isAccess tells whether among lines of text are those of requests, with their time.
func isAccess(lines [][]byte) bool {
	return slices.ContainsFunc(lines, func(line []byte) bool {
		t := newTexter(string(line))
		return t.of >= ofCall && t.g.guessed("time", nil) != ""
	})
}

// begun writes the file for a log that a pattern takes apart.
func begun(pattern string, g *guesser, times CustomField) []byte {
	head := "# One named group, (?P<NAME>...), for each part of a line: RE2.\npattern: " + quotedYAML(pattern) + "\n"
	if len(times.Paths) == 0 {
		head = "# No line has a time? docker logs --timestamps, or ts of moreutils as they are written, puts one in front.\n" + head
	}
	return append([]byte(head), g.yaml(times)...)
}

func newTexter(line string) *texter {
	t := &texter{line: line}
	t.labels()
	t.time()
	t.address()
	t.json()
	t.columns()
	t.call()
	t.pairs()
	t.said()
	if t.of < ofAsked && (t.g.shaped("body") != "" || len(t.g.talks) > 0 || t.g.guessed("session", nil) != "") {
		t.of = ofAsked
	}
	slices.SortFunc(t.pieces, func(a, b piece) int { return cmp.Compare(a.from, b.from) })
	if len(t.g.paths) == 0 {
		t.pieces = []piece{{pattern: `(?P<time>\S+) (?P<rest>.*)$`, first: true}}
		t.g.paths = []string{"time", "rest"}
	}
	return t
}

// pattern puts the pieces together, with what stands before each and behind it, and None
// for objects or not. The time is always there.
func (t *texter) pattern(before, behind string, none bool) string {
	pattern := "^"
	for _, p := range t.pieces {
		switch {
		case none && p.none != "":
			pattern += before + p.none + behind
		case p.first:
			pattern += p.pattern
		case p.must:
			pattern += ".*?" + p.pattern
		default:
			pattern += before + p.pattern + behind
		}
	}
	return pattern
}

// free tells whether nothing was found yet in a part of the line.
func (t *texter) free(from, to int) bool {
	return !slices.ContainsFunc(t.pieces, func(p piece) bool { return from < p.to && p.from < to })
}

// add notes a piece. Its names, with an example each, are new.
func (t *texter) add(p piece, name, example string) {
	t.g.text(name, []byte(example))
	t.pieces = append(t.pieces, p)
}

// labelOf is a value with its label in front, up to the next tab: all that a line of
// labelled tab-separated values (LTSV) has.
var labelOf = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_.-]*):(.*)$`)

func (t *texter) labels() {
	parts := strings.Split(t.line, "\t")
	const few = 3
	if len(parts) < few || slices.ContainsFunc(parts, func(p string) bool { return !labelOf.MatchString(p) }) {
		return
	}
	t.g.labels = true
	at := 0
	for _, part := range parts {
		of := labelOf.FindStringSubmatch(part)
		label, value, width := of[1], of[2], `[^\t]*`
		group, open, end := groupOf(label), "", ""
		if strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]") && jsonWithin([]byte(value)) == nil { // a time
			value, width, open, end = value[1:len(value)-1], `[^\t\]]*`, `\[`, `\]`
		}
		if len(t.pieces) < maxPieces && !t.g.has(group) {
			t.add(piece{from: at, to: at + len(part), pattern: `(?:^|\t)` + regexp.QuoteMeta(label) + ":" + open + `(?P<` + group + `>` + width + `)` + end}, group, value)
		}
		at += len(part) + len("\t")
	}
}

// groupOf is a name as one of a group in a pattern.
func groupOf(name string) string { return strings.NewReplacer(".", "_", "-", "_").Replace(name) }

// leadingTime is a time that a line begins with.
var leadingTime = regexp.MustCompile(`^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|[+-]\d\d:?\d\d))?\]?`)

// shapes are other times, wherever they stand, compiled when they are asked for:
// no other command is.
var shapes = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`\d{4}[-/]\d\d[-/]\d\d(?:[T ]| - )\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?`),
		regexp.MustCompile(`\d{1,2}[-/][A-Z][a-z]{2}[-/]\d{4}[: ]\d\d:\d\d:\d\d(?:\.\d+)?(?: [+-]\d{4})?`),
		regexp.MustCompile(`[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (?:[A-Z]{3,4}|[+-]\d{4})`),
		regexp.MustCompile(`[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?(?: [A-Z]{3,4})? \d{4}`),
		regexp.MustCompile(`[A-Z][a-z]{2} \d{1,2}, \d{4},? \d{1,2}:\d\d:\d\d(?: [AP]M)?`),
		regexp.MustCompile(`\d{1,2}[./]\d{1,2}[./]\d{4},? \d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?: [AP]M)?`),
		regexp.MustCompile(`\d{8}[T ]?\d{6}(?:Z|[+-]\d{4})?`),
		regexp.MustCompile(`\d{10}(?:\d{9}|\d{6}|\d{3})?(?:\.\d+)?`),
	}
})

// time finds the first time in the line, unless it has a name: see pairs.
func (t *texter) time() {
	if len(t.pieces) > 0 { // it has a label
		return
	}
	before := t.line
	if from := t.object(); from > 0 { // what stands in it has a name
		before = t.line[:from]
	}
	pairs := pairsOf.FindAllStringSubmatchIndex(before, -1) // and in the value of a pair
	if at := leadingTime.FindString(t.line); at != "" {
		inner := strings.Trim(at, "[]")
		width := `\S+`
		switch strings.Count(inner, " ") {
		case 1:
			width = `\S+ [^\s\]]+`
		case 2:
			width = `\S+ \S+ [^\s\]]+`
		}
		if width == `\S+` && at[0] == '[' && !strings.HasPrefix(t.line[len(at):], " ") {
			width = `[^\s\]]+` // the next bracket follows at once
		}
		t.add(piece{to: len(at), pattern: strings.Replace(regexp.QuoteMeta(at), regexp.QuoteMeta(inner), `(?P<time>`+width+`)`, 1), first: true}, "time", inner)
		return
	}
	for _, shape := range shapes() {
		for _, at := range shape.FindAllStringIndex(before, -1) {
			text := t.line[at[0]:at[1]]
			inPair := slices.ContainsFunc(pairs, func(pair []int) bool { return pair[4] <= at[0] && at[1] <= pair[5] })
			if len(guessLayouts([]byte(text))) == 0 || inPair || at[1] < len(t.line) && isWord(t.line[at[1]]) || at[0] > 0 && isWord(t.line[at[0]-1]) {
				continue
			}
			p := piece{from: at[0], to: at[1], pattern: `(?P<time>` + shape.String() + `)`, first: at[0] == 0, must: true}
			if at[0] > 0 && t.line[at[0]-1] == '[' {
				p.pattern, p.from, p.first = `\[`+p.pattern, at[0]-1, at[0] == 1
			}
			t.add(p, "time", text)
			return
		}
	}
}

// address finds the caller's, which access logs begin with.
func (t *texter) address() {
	word, _, _ := strings.Cut(t.line, " ")
	if isIP([]byte(word)) && t.free(0, len(word)) {
		t.add(piece{to: len(word), pattern: `(?P<client_ip>\S+)`, first: true}, "client_ip", word)
	}
}

// named tells that what follows is the value of a pair.
func named(before string) bool { return strings.HasSuffix(strings.TrimRight(before, `"'`), "=") }

// object is where an object begins that the line ends with, -1 if there is none.
func (t *texter) object() int {
	from := objectAt([]byte(t.line), `"'`) // the second is Python's
	if from < 0 || t.line[len(t.line)-1] != '}' || named(t.line[:from]) {
		return -1
	}
	return from
}

// json finds an object that the line ends with.
func (t *texter) json() {
	from := t.object()
	if from < 0 || !t.free(from, len(t.line)) {
		return
	}
	t.add(piece{from: from, to: len(t.line), pattern: `(?P<json>\{.*\})$`}, "json", t.line[from:])
}

// httpCall is the first line of a request, the client's address and the status behind
// it, and how long that took.
var (
	httpCall    = regexp.MustCompile(`\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) +"?(/[^\s"]*|https?://[^\s"]+)`)
	httpStatus  = regexp.MustCompile(`^(?: (?:HTTP/)?\d(?:\.\d)?)?"? (?:-> )?(?:([\d.]+\.\d+|[\da-fA-F]*:[\da-fA-F:.]+) )?([1-5]\d\d)\b`)
	addressText = regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}\b`)
	httpClient  = regexp.MustCompile(`(\S+:\d+) - "$`) // as uvicorn has it
	tookTime    = regexp.MustCompile(`\b\d+(?:\.\d+)?(?:ms|us|µs|ns|s)\b`)
)

// ginColumns stand in front of the request where Gin writes the log, the Go
// framework of Ollama and of many gateways; One API puts the request's id before them.
var ginColumns = regexp.MustCompile(`\| +(?:(\w{16,}) +\| +)?([1-5]\d\d) +\| +([\d.]+(?:m|µ|u|n)?s) +\| +([\da-fA-F.:]+) +\|`)

func (t *texter) columns() {
	at := ginColumns.FindStringSubmatchIndex(t.line)
	if at == nil || !t.free(at[0], at[1]) {
		return
	}
	t.of = ofGin
	pattern := `\|`
	for i, column := range []struct{ name, shape string }{{"request_id", `\w{16,}`}, {"status", `[1-5]\d\d`}, {"duration", `\S+`}, {"client_ip", `\S+`}} {
		if from := at[2*i+2]; from >= 0 {
			t.g.note(column.name, []byte(t.line[from:at[2*i+3]]))
			pattern += fmt.Sprintf(` +(?P<%s>%s) +\|`, column.name, column.shape)
		}
	}
	t.pieces = append(t.pieces, piece{from: at[0], to: at[1], pattern: pattern, must: true}) // other lines are no requests
}

func (t *texter) call() {
	at := httpCall.FindStringIndex(t.line)
	if at == nil || !t.free(at[0], at[1]) {
		return
	}
	method, url, _ := strings.Cut(t.line[at[0]:at[1]], " ")
	t.g.note("url", []byte(strings.TrimLeft(url, ` "`)))
	p := piece{from: at[0], to: at[1], pattern: `\b(?P<method>GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) +"?(?P<url>[^\s"]+)`}
	if client := httpClient.FindStringSubmatchIndex(t.line[:at[0]]); client != nil && !t.g.has("client_ip") && t.free(client[0], at[0]) {
		t.g.note("client_ip", []byte(t.line[client[2]:client[3]]))
		p.from, p.pattern = client[0], `(?P<client_ip>\S+) - "`+p.pattern
	}
	behind := at[1]
	if status := httpStatus.FindStringSubmatchIndex(t.line[behind:]); status != nil && !t.g.has("status") && t.free(behind, behind+status[1]) {
		address := ""
		if status[2] >= 0 && !t.g.has("client_ip") { // as llama.cpp's server has it
			address = `(?:(?P<client_ip>[\da-fA-F.:]+) )?`
			t.g.note("client_ip", []byte(t.line[behind+status[2]:behind+status[3]]))
		}
		t.g.note("status", []byte(t.line[behind+status[4]:behind+status[5]]))
		p.pattern += `(?:(?: (?:HTTP/)?\d(?:\.\d)?)?"? (?:-> )?` + address + `(?P<status>[1-5]\d\d)\b)?`
		behind += status[1]
		p.to, p.must = behind, true
		t.of = max(t.of, ofCall)
	}
	t.add(p, "method", method)
	for _, client := range addressText.FindAllStringIndex(t.line[:at[0]], -1) {
		if address := t.line[client[0]:client[1]]; !t.g.has("client_ip") && isIP([]byte(address)) && t.free(client[0], client[1]) {
			t.add(piece{from: client[0], to: client[1], pattern: `(?P<client_ip>` + addressText.String() + `)`}, "client_ip", address)
		}
	}
	if took := tookTime.FindStringIndex(t.line[behind:]); took != nil && !t.g.has("duration") && t.free(behind+took[0], behind+took[1]) && !named(t.line[:behind+took[0]]) {
		t.add(piece{from: behind + took[0], to: behind + took[1], pattern: `\b(?P<duration>\d+(?:\.\d+)?(?:ms|us|µs|ns|s))\b`}, "duration", t.line[behind+took[0]:behind+took[1]])
	}
}

// pairsOf are key=value, as many loggers write them.
var pairsOf = regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_.-]*)=("(?:[^"\\]|\\.)*"|\S*)`)

// closing is what a value without quotes does not end with.
const closing = ",;|)]}"

func (t *texter) pairs() {
	for _, at := range pairsOf.FindAllStringSubmatchIndex(t.line, -1) {
		key, value := t.line[at[2]:at[3]], t.line[at[4]:at[5]]
		group := groupOf(key)
		if len(t.pieces) == maxPieces {
			return
		}
		if t.g.has(group) || !t.free(at[0], at[1]) || !isPath(key) {
			continue
		}
		p := piece{from: at[0], to: at[1], pattern: `\b` + regexp.QuoteMeta(key) + `=`}
		switch end := t.opened(at[4]); {
		case end > 0: // there may be blanks in it
			p.to, value = end, t.line[at[4]:end]
			p.pattern += fmt.Sprintf(`(?P<%s>[{\[].*[}\]])`, group)
			p.none = fmt.Sprintf(`\b%s=(?P<%s>[{\[].*[}\]]|\S*)`, regexp.QuoteMeta(key), group)
		case strings.HasPrefix(value, `"`):
			p.pattern += fmt.Sprintf(`"(?P<%s>(?:[^"\\]|\\.)*)"`, group)
			value = strings.TrimSuffix(value[1:], `"`)
		case value != "" && strings.IndexByte(closing, value[len(value)-1]) >= 0: // what stands between pairs, or around them
			last := len(value) - 1
			p.pattern += fmt.Sprintf(`(?P<%s>[^\s%s]*)`, group, regexp.QuoteMeta(value[last:]))
			value = value[:last]
		default:
			p.pattern += fmt.Sprintf(`(?P<%s>\S*)`, group)
		}
		t.add(p, group, value)
	}
}

// saidOf are key: value, with what ends them. Behind a backslash is the rest of what
// was escaped, as nginx writes quotes: \x22.
var saidOf = regexp.MustCompile(`(?:^|[^\w\\])([A-Za-z_]\w*): ([^\s,;|"'{\[]+)[,;|]`)

func (t *texter) said() {
	for _, at := range saidOf.FindAllStringSubmatchIndex(t.line, -1) {
		key, value := t.line[at[2]:at[3]], t.line[at[4]:at[5]]
		if len(t.pieces) < maxPieces && !t.g.has(key) && t.free(at[2], at[1]) {
			t.add(piece{from: at[2], to: at[1], pattern: fmt.Sprintf(`\b%s: (?P<%s>[^\s,;|]*)`, key, key)}, key, value)
		}
	}
}

// closed is where an object or a list of a pair may end: before the next, or at the end.
var closed = regexp.MustCompile(`[}\]](?:[,;|]?\s+[A-Za-z_][A-Za-z0-9_.-]*=|[^}\]]*$)`)

// opened is where an object or a list ends that begins there, 0 if none does.
func (t *texter) opened(from int) int {
	if from == len(t.line) || t.line[from] != '{' && t.line[from] != '[' {
		return 0
	}
	for _, at := range closed.FindAllStringIndex(t.line[from:], maxPieces) {
		if end := from + at[0] + 1; jsonWithin([]byte(t.line[from:end])) != nil {
			return end
		}
	}
	return 0
}
