package policy

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/loopgauge/loopgauge/window"
)

// MaxSize is the longest policy read: a person wrote it.
const MaxSize = 1 << 20

// maxDepth is how deep a policy may nest; the deepest real one has six levels.
const maxDepth = 32

// reader turns YAML nodes into values and gathers what is wrong with them.
type reader struct {
	file   string
	kind   kind
	errors Errors
	wrong  map[string]bool // paths of the values that could not be read
}

// kind is what a reader calls its file.
type kind struct{ noun, members, doc string }

var policyKind = kind{"policy", "version and rules", "docs/policy.md"}

// place is where a value stands, for problems that show only later.
type place struct {
	line, column int
	path         string
	text         layout
}

func (r *reader) problem(at place, format string, args ...any) {
	r.errors = append(r.errors, Problem{r.file, at.line, at.column, at.path, fmt.Sprintf(format, args...)})
}

// misread is a problem of a value that cannot be read. What is found later of
// that value, or of what is inside it, follows from this one.
func (r *reader) misread(at place, format string, args ...any) {
	if r.wrong == nil {
		r.wrong = map[string]bool{}
	}
	r.wrong[at.path] = true
	r.problem(at, format, args...)
}

// check is a problem that shows once all is read, unless a misread value is
// the cause of it.
func (r *reader) check(at place, format string, args ...any) {
	for path := at.path; path != ""; path = path[:max(0, strings.LastIndexAny(path, ".["))] {
		if r.wrong[path] {
			return
		}
	}
	r.problem(at, format, args...)
}

func placeOf(n ast.Node, path string) place {
	at := place{path: path}
	if t := n.GetToken(); t != nil && t.Position != nil {
		at.line, at.column = t.Position.Line, t.Position.Column
	}
	// A mapping's own token is the colon of its first member.
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		return placeOf(m.Values[0].Key, path)
	}
	return at
}

// document parses the text into its one mapping, nil if that fails.
func (r *reader) document(text []byte) *ast.MappingNode {
	whole := place{}
	if len(text) > MaxSize {
		r.problem(whole, "a %s of more than %d bytes", r.kind.noun, MaxSize)
		return nil
	}
	if line, column := tooDeep(text); line > 0 {
		r.problem(place{line: line, column: column}, "nested too deep")
		return nil
	}
	if at, why := unprintable(text); why != "" {
		r.problem(at, "%s", why)
		return nil
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		r.problem(syntaxPlace(err), "%s%s", syntaxText(err), summaryBefore(text))
		return nil
	}
	var docs []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil {
			docs = append(docs, d.Body)
		}
	}
	switch len(docs) {
	case 0:
		r.problem(whole, "empty; the smallest %s is in %s", r.kind.noun, r.kind.doc)
		return nil
	case 1:
	default:
		r.problem(placeOf(docs[1], ""), "a second document: put one %s in one file", r.kind.noun)
		return nil
	}
	if at, why := refused(docs[0]); why != "" {
		r.problem(at, "%s", why)
		return nil
	}
	m, ok := asMapping(docs[0])
	if !ok {
		r.problem(placeOf(docs[0], ""), "must be a mapping with %s", r.kind.members)
		return nil
	}
	return m
}

// refused finds what YAML has and policies have not. A few lines of aliases
// stand for more text than memory holds; tags and keys that are no text make
// the YAML library panic when it writes them, and of a text without quotes it
// loses the tabs.
func refused(n ast.Node) (at place, why string) {
	ast.Walk(visitor(func(n ast.Node) bool {
		if why != "" {
			return false
		}
		switch n := n.(type) {
		case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode:
			at, why = placeOf(n, ""), "policies have no anchors and aliases: write it out"
		case *ast.TagNode:
			at, why = placeOf(n, ""), "policies have no tags"
		case *ast.MappingValueNode:
			switch n.Key.(type) {
			case *ast.StringNode, *ast.MergeKeyNode:
			default:
				at, why = placeOf(n.Key, ""), "a name must be a text: put it in quotes"
			}
		case *ast.StringNode:
			origin := strings.TrimSpace(n.Token.Origin)
			if tab := strings.IndexByte(origin, '\t'); n.Token.Type == token.StringType && strings.Count(origin, "\t") > strings.Count(n.Value, "\t") {
				at, why = placeOf(n, ""), "a tab in a text without quotes: put the text in double quotes, and write the tab as \\t"
				if !strings.Contains(origin[:tab], "\n") {
					at.column += utf8.RuneCountInString(origin[:tab])
				}
			}
		}
		return why == ""
	}), n)
	return at, why
}

// unprintable finds the first character that YAML has only as an escape.
func unprintable(text []byte) (at place, why string) {
	at.line = 1
	for i := 0; i < len(text); {
		c, n := utf8.DecodeRune(text[i:])
		at.column++
		switch {
		case c == '\n':
			at.line, at.column = at.line+1, 0
		case c == '\t', c == '\r', c == 0x85:
		case c == utf8.RuneError && n == 1:
			return at, fmt.Sprintf("not UTF-8: the byte 0x%02x", text[i])
		case c < ' ', c >= 0x7f && c < 0xa0, c == 0xfffe, c == 0xffff:
			return at, fmt.Sprintf("YAML has no %U as it is: put the text in double quotes, and write it as %s", c, strings.Trim(strconv.QuoteRuneToASCII(c), "'"))
		}
		i += n
	}
	return place{}, ""
}

// visitor walks on where it returns true.
type visitor func(n ast.Node) bool

func (v visitor) Visit(n ast.Node) ast.Visitor {
	if v(n) {
		return v
	}
	return nil
}

// tooDeep finds brackets, and lists begun on one line, nested far deeper than
// maxDepth before the parser, which recurses and takes the square of the depth
// in time, sees them. A bracket may stand in a text, so that the bound is
// generous.
func tooDeep(text []byte) (line, column int) {
	depth, line, start := 0, 1, 0
	lists, heads := 0, true // heads: nothing but "- " and "? " so far
	for i, c := range text {
		switch c {
		case ' ', '-', '?':
			if heads && c != ' ' {
				if lists++; lists > 16*maxDepth {
					return line, i - start + 1
				}
			}
			continue
		}
		heads = c == '\n'
		switch c {
		case '\n':
			line++
			start = i + 1
			lists = 0
		case '[', '{':
			if depth++; depth > 16*maxDepth {
				return line, i - start + 1
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return 0, 0
}

// syntaxPlace takes the position out of a message of the parser's: [3:5] ...
func syntaxPlace(err error) place {
	text := err.Error()
	if inside, _, ok := strings.Cut(strings.TrimPrefix(text, "["), "]"); ok {
		if line, column, ok := strings.Cut(inside, ":"); ok {
			l, err1 := strconv.Atoi(line)
			c, err2 := strconv.Atoi(column)
			if err1 == nil && err2 == nil {
				return place{line: l, column: c}
			}
		}
	}
	return place{}
}

// syntaxText is the parser's message without its drawing of the text.
func syntaxText(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	if _, rest, ok := strings.Cut(text, "] "); ok {
		text = rest
	}
	if strings.Contains(text, "character '\t'") {
		text = "a tab; indent with spaces"
	}
	return "not YAML: " + text
}

// How a document begins: what may stand above its first key, that, and the key of
// a policy that most have first.
var (
	aboveFirst   = regexp.MustCompile(`^(?:\s*(?:#.*|---.*)?\n)*`)
	firstKey     = regexp.MustCompile(`^\w+:(?:\s|$)`)
	firstVersion = regexp.MustCompile(`(?m)^version:`)
)

// summaryBefore is a hint where a policy stands behind a text that begins with
// no key: what tune prints has one at its end.
func summaryBefore(text []byte) string {
	begins := firstVersion.FindIndex(text)
	if begins == nil || firstKey.Match(text[len(aboveFirst.Find(text)):]) {
		return ""
	}
	return fmt.Sprintf("; this looks like all that tune prints: copy the policy in it, from version: in line %d on", 1+bytes.Count(text[:begins[0]], []byte{'\n'}))
}

func asMapping(n ast.Node) (*ast.MappingNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n, true
	case *ast.MappingValueNode:
		return ast.Mapping(n.GetToken(), false, n), true
	}
	return nil, false
}

// field is how a member of a mapping is read.
type field struct {
	name string
	read func(n ast.Node, at place)
}

// mapping reads the members of a mapping. Members without a field, and members
// given twice, are problems.
// Hidden fields are no members, but have something to say.
func (r *reader) mapping(n ast.Node, at place, fields []field, hidden ...field) {
	m, ok := asMapping(n)
	if !ok {
		r.misread(at, "must be a mapping, is %s", kindOf(n))
		return
	}
	if strings.Count(at.path, ".")+strings.Count(at.path, "[") > maxDepth {
		r.problem(at, "nested too deep")
		return
	}
	seen := map[string]bool{}
	for _, v := range m.Values {
		name := keyText(v.Key)
		path := name
		if at.path != "" {
			path = at.path + "." + name
		}
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		h := slices.IndexFunc(hidden, func(f field) bool { return f.name == name })
		switch {
		case h >= 0:
			hidden[h].read(v.Value, placeOf(v.Key, path))
		case i < 0:
			var names []string
			for _, f := range fields {
				names = append(names, f.name)
			}
			r.problem(placeOf(v.Key, path), "unknown field%s", suggest(name, names))
		case seen[name]:
			r.problem(placeOf(v.Key, path), "is there twice")
		default:
			seen[name] = true
			fields[i].read(v.Value, placeOf(v.Value, path))
		}
	}
}

func keyText(k ast.MapKeyNode) string {
	if s, ok := k.(*ast.StringNode); ok {
		return s.Value
	}
	return strings.TrimSpace(k.String())
}

func kindOf(n ast.Node) string {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "empty"
	case *ast.StringNode, *ast.LiteralNode:
		return "a text"
	case *ast.IntegerNode:
		return "a number"
	case *ast.FloatNode:
		return "a number with a fraction"
	case *ast.InfinityNode, *ast.NanNode:
		return "not finite"
	case *ast.BoolNode:
		return "true or false"
	}
	return "something else"
}

// list reads the elements of a list.
func (r *reader) list(n ast.Node, at place, read func(n ast.Node, at place)) {
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		r.misread(at, "must be a list, is %s", kindOf(n))
		return
	}
	for i, v := range s.Values {
		read(v, placeOf(v, fmt.Sprintf("%s[%d]", at.path, i)))
	}
}

func (r *reader) texts(to *[]string, at *place) func(ast.Node, place) {
	return func(n ast.Node, here place) {
		*to, *at = []string{}, here
		r.list(n, here, func(n ast.Node, at place) {
			if text, ok := r.textOf(n, at); ok {
				*to = append(*to, text)
			}
		})
	}
}

func stringOf(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	}
	return "", false
}

func (r *reader) textOf(n ast.Node, at place) (string, bool) {
	if text, ok := stringOf(n); ok {
		return text, true
	}
	r.misread(at, "must be a text, is %s", kindOf(n))
	return "", false
}

func (r *reader) text(to *string, at *place) func(ast.Node, place) {
	return func(n ast.Node, here place) {
		*at = here
		at.text = layoutOf(n)
		*to, _ = r.textOf(n, here)
	}
}

// choice reads one of several words.
func (r *reader) choice(words []string, set func(string)) func(ast.Node, place) {
	return r.choiceOf(words, words, set)
}

// choiceOf takes one of words, and tells of some.
func (r *reader) choiceOf(words, told []string, set func(string)) func(ast.Node, place) {
	return func(n ast.Node, at place) {
		text, ok := r.textOf(n, at)
		switch {
		case !ok:
		case !slices.Contains(words, text):
			r.misread(at, "%q is unknown%s", text, suggest(text, told))
		default:
			set(text)
		}
	}
}

func (r *reader) boolean(to *bool) func(ast.Node, place) {
	return func(n ast.Node, at place) {
		if b, ok := n.(*ast.BoolNode); ok {
			*to = b.Value
			return
		}
		r.problem(at, "must be true or false, is %s", kindOf(n))
	}
}

func (r *reader) integer(to *int, at *place) func(ast.Node, place) {
	return func(n ast.Node, here place) {
		*at = here
		i, ok := n.(*ast.IntegerNode)
		if !ok {
			r.misread(here, "must be a whole number, is %s", kindOf(n))
			return
		}
		switch v := i.Value.(type) {
		case int64:
			*to = int(v)
		case uint64:
			*to = int(min(v, math.MaxInt64))
		}
	}
}

var scientific = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?[eE][+-]?[0-9]+$`)

func (r *reader) number(to *float64) func(ast.Node, place) {
	return func(n ast.Node, at place) {
		switch n := n.(type) {
		case *ast.FloatNode:
			*to = n.Value
		case *ast.IntegerNode:
			switch v := n.Value.(type) {
			case int64:
				*to = float64(v)
			case uint64:
				*to = float64(v)
			}
		case *ast.StringNode:
			// The parser takes 1e-06 for a text.
			v, err := strconv.ParseFloat(n.Value, 64)
			if err != nil || n.Token.Type != token.StringType || !scientific.MatchString(n.Value) {
				r.misread(at, "must be a number, is %s", kindOf(n))
				return
			}
			*to = v
		default:
			r.misread(at, "must be a number, is %s", kindOf(n))
			return
		}
		if *to < 0 {
			r.problem(at, "must not be negative")
		}
	}
}

// duration reads 90s, 10m, 1h30m or 7d.
func (r *reader) duration(to *time.Duration, at *place) func(ast.Node, place) {
	return func(n ast.Node, here place) {
		*at = here
		if i, ok := n.(*ast.IntegerNode); ok {
			r.misread(here, "needs a unit: write %vs for seconds", i.Value)
			return
		}
		text, ok := stringOf(n)
		if !ok {
			r.misread(here, "must be a duration as in 90s or 10m, is %s", kindOf(n))
			return
		}
		d, err := ParseDuration(text)
		if err != nil {
			r.misread(here, "%q is no duration: write it as 90s, 10m, 1h30m or 7d", text)
			return
		}
		*to = d
	}
}

// maxDuration is the most of any duration, as it is of the lateness.
const maxDuration = window.MaxLateness

// ParseDuration reads a duration as policies write it: 90d, 36h, 1d12h, 10s. It is
// at most ten years and of whole microseconds.
func ParseDuration(text string) (time.Duration, error) {
	var days time.Duration
	if head, tail, ok := strings.Cut(text, "d"); ok {
		n, err := strconv.Atoi(head)
		if err != nil || n < 0 || n > 3650 {
			return 0, fmt.Errorf("days")
		}
		days = time.Duration(n) * 24 * time.Hour
		if text = tail; text == "" {
			return days, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, err
	}
	if d < 0 || d+days > maxDuration || d%time.Microsecond != 0 {
		return 0, fmt.Errorf("range")
	}
	return d + days, nil
}

// layout says how a text stands in the file, so that a place inside it can be
// named.
type layout struct {
	exact  bool // the text stands there as it is: one line, or a literal block
	block  bool // it begins on the next line
	indent int  // columns before each line of it
}

func layoutOf(n ast.Node) layout {
	switch n := n.(type) {
	case *ast.StringNode:
		origin := strings.TrimSpace(n.Token.Origin)
		switch origin {
		case n.Value:
			return layout{exact: !strings.Contains(n.Value, "\n")}
		case `"` + n.Value + `"`, "'" + n.Value + "'":
			return layout{exact: true, indent: 1}
		}
	case *ast.LiteralNode:
		margin := func(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }
		if strings.HasPrefix(n.Start.Value, "|") {
			return layout{exact: true, block: true, indent: margin(n.Value.Token.Origin) - margin(n.Value.Value)}
		}
	}
	return layout{}
}

// inside is the place of a line and column, from 1, of the text at p; that of
// the text where they cannot be told.
func (p place) inside(line, column int) place {
	switch {
	case !p.text.exact:
	case p.text.block:
		p.line, p.column = p.line+line, p.text.indent+column
	case line == 1:
		p.column += p.text.indent + column - 1
	}
	return p
}
