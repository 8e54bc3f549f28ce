package policy

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// unmarked is the text without the byte order mark that editors and shells of
// Windows put in front of it.
func unmarked(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

// document parses the text into its one mapping, nil if that fails.
func (r *reader) document(text []byte) *ast.MappingNode {
	text = unmarked(text)
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
	file, err := syntaxTree(text, 0)
	if err != nil {
		at := syntaxPlace(err)
		r.problem(at, "%s%s%s", syntaxText(err), quotesWanted(text, at), summaryBefore(text))
		return nil
	}
	var docs []ast.Node
	for _, d := range file.Docs {
		if _, is := d.Body.(*ast.DirectiveNode); is {
			r.problem(placeOf(d.Body, ""), "there must be no directives: leave the line out")
			return nil
		}
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

// syntaxTree parses a text. In a list inside braces, as in {scope: [attr:host]}, the
// library takes any colon for one of a mapping; YAML only one that a blank
// follows. And of the line breaks of Windows it takes each for two characters in
// a text in quotes.
func syntaxTree(text []byte, mode parser.Mode) (*ast.File, error) {
	file, err := parser.ParseBytes(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), mode)
	if err != nil {
		return nil, err
	}
	for _, doc := range file.Docs {
		ast.Walk(visitor(func(n ast.Node) bool {
			if list, is := n.(*ast.SequenceNode); is && list.IsFlowStyle {
				for i, element := range list.Values {
					list.Values[i] = withColon(element)
				}
			}
			return true
		}), doc)
	}
	return file, nil
}

// withColon is the text that an element of a list is, if it was taken for a
// mapping without braces for want of a blank behind its colon.
func withColon(n ast.Node) ast.Node {
	m, is := n.(*ast.MappingNode)
	if !is || len(m.Values) != 1 || m.Start.Type != token.MappingValueType {
		return n
	}
	key, colon, value := m.Values[0].Key.GetToken(), m.Start, m.Values[0].Value.GetToken()
	if key.Type != token.StringType || value.Indicator == token.QuotedScalarIndicator || value.CharacterType == token.CharacterTypeIndicator ||
		value.Position.Line != colon.Position.Line || value.Position.Column != colon.Position.Column+1 {
		return n
	}
	text := key.Value + colon.Value + value.Value
	return ast.String(token.DoubleQuote(text, text, key.Position)) // quoted, so that it is written as it is read
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
			at, why = placeOf(n, ""), "there must be no anchors and aliases: write it out"
		case *ast.LiteralNode:
			return false // anything may stand in one
		case *ast.TagNode:
			at, why = placeOf(n, ""), "there must be no tags: a text that begins with ! wants quotes"
		case *ast.MappingValueNode:
			switch n.Key.(type) {
			case *ast.StringNode, *ast.MergeKeyNode:
			default:
				at, why = placeOf(n.Key, ""), "a name must be a text: put it in quotes"
			}
		case *ast.StringNode:
			if n.Token.Type == token.StringType {
				if why = plainText(n.Value); why != "" {
					at = placeOf(n, "")
					return false
				}
			}
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

// plainText says why a text wants quotes that has none, where the library does not ask
// for them; empty if it may be so.
func plainText(text string) (why string) {
	switch {
	case text == "":
	case strings.ContainsRune(",]}%@`", rune(text[0])):
		why = fmt.Sprintf("a text that begins with %c wants quotes", text[0])
	case strings.Contains(text, ": "), strings.HasSuffix(text, ":"):
		why = "a text with a colon at the end of a word wants quotes"
	}
	return why
}

// unprintable finds the first character that YAML has only as an escape.
func unprintable(text []byte) (at place, why string) {
	at.line = 1
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		at.column = 1
		return at, "UTF-16, as > in Windows PowerShell writes: turn it into UTF-8 with iconv -f UTF-16 -t UTF-8, or write it with cmd or PowerShell 7"
	}
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

// maxDepth is how deep brackets, and lists begun on one line, may nest. The deepest
// real policy has six levels; a bracket may stand in a text, so that the bound is
// generous.
const maxDepth = 512

// tooDeep finds what nests deeper before the parser sees it, which recurses and
// takes the square of the depth in time.
func tooDeep(text []byte) (line, column int) {
	depth, line, start := 0, 1, 0
	lists, heads := 0, true // heads: nothing but "- " and "? " so far
	for i, c := range text {
		switch c {
		case ' ', '-', '?':
			if heads && c != ' ' {
				if lists++; lists > maxDepth {
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
			if depth++; depth > maxDepth {
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
	var at place
	if _, none := fmt.Sscanf(err.Error(), "[%d:%d]", &at.line, &at.column); none != nil {
		return place{}
	}
	return at
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
	firstKey     = regexp.MustCompile(`^\w+:`)
	firstVersion = regexp.MustCompile(`(?m)^version:`)
)

// What wants quotes that has none: a name inside braces with a colon in it, up to
// its value, and a condition.
var (
	colonInName    = regexp.MustCompile(`[{,]\s*([^\s"'{}\[\],]+:[^\s"'{}\[\],]+?)\s*:\s*$`)
	plainCondition = regexp.MustCompile(`\bmatch: +[^\s'|>]`)
)

// quotesWanted is a hint where the library does not understand a line for want of
// quotes: inside braces it takes the first colon for the end of a name.
func quotesWanted(text []byte, at place) string {
	lines := bytes.Split(text, []byte("\n"))
	if at.line < 1 || at.line > len(lines) {
		return ""
	}
	line := string(lines[at.line-1])
	before := []rune(line)
	before = before[:min(max(0, at.column-1), len(before))]
	if name := colonInName.FindStringSubmatch(string(before)); name != nil {
		return "; inside braces a name with a colon in it wants quotes: " + strconv.Quote(name[1])
	}
	if plainCondition.MatchString(line) {
		return "; put the condition in single quotes: match: '...'"
	}
	return ""
}

// summaryBefore is a hint where a policy stands behind a text that begins with
// no key: what tune prints has one at its end.
func summaryBefore(text []byte) string {
	begins := firstVersion.FindIndex(text)
	if begins == nil || firstKey.Match(text[len(aboveFirst.Find(text)):]) {
		return ""
	}
	return fmt.Sprintf("; this looks like all that tune prints: copy the policy in it, from version: in line %d on", 1+bytes.Count(text[:begins[0]], []byte{'\n'}))
}
