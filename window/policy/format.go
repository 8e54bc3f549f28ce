package policy

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Format writes a policy in the usual form: indented by two, lists under their
// key, comments kept. Formatting twice gives what formatting once gave. What it
// would change or lose is an error.
func Format(name string, text []byte) ([]byte, error) {
	r := &reader{file: name, kind: policyKind}
	text = unmarked(text)
	if r.document(text) == nil {
		return nil, r.errors
	}
	if at := strayComment(text); at.line > 0 {
		r.problem(at, "not formatted, for that would lose the comment here: put it on a line above, outside brackets")
		return nil, r.errors
	}
	file, err := syntaxTree(marks.ReplaceAll(text, []byte("$1")), parser.ParseComments)
	if err != nil {
		r.problem(syntaxPlace(err), "%s", syntaxText(err))
		return nil, r.errors
	}
	comments := yaml.CommentMap{}
	var doc yaml.MapSlice
	if err := yaml.UnmarshalWithOptions([]byte(file.String()), &doc, yaml.CommentToMap(comments), yaml.UseOrderedMap()); err != nil {
		r.problem(syntaxPlace(err), "%s", syntaxText(err))
		return nil, r.errors
	}
	out, err := yaml.MarshalWithOptions(quoteOdd(doc), yaml.WithComment(comments), yaml.Indent(2), yaml.IndentSequence(true), yaml.UseLiteralStyleIfMultiline(true))
	if err != nil {
		return nil, err
	}
	out = behindDash.ReplaceAll(out, []byte("$1$2\n$1- $3"))
	if err := unchanged(name, text, out); err != nil {
		return nil, err
	}
	return out, nil
}

// marks are the lines where a document begins and ends: it is the only one, and the
// library loses the comments above them, beside them and below.
var marks = regexp.MustCompile(`(?m)^(?:---|\.\.\.)([ \t]*(?:[ \t]#.*)?\r?)$`)

// behindDash is where the library puts what stood behind a closing brace, and
// does not find it again.
var behindDash = regexp.MustCompile(`(?m)^( *)- (#.*)\n +(\S)`)

// strayComment finds the first comment that the library does not keep, or breaks
// down at: one inside brackets or braces, or behind the | or > of a long text.
func strayComment(text []byte) place {
	depth := 0
	var before *token.Token
	for _, t := range lexer.Tokenize(string(text)) {
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.CommentType:
			if depth > 0 {
				return place{line: t.Position.Line, column: t.Position.Column}
			}
			if before != nil && (before.Type == token.LiteralType || before.Type == token.FoldedType) {
				return place{line: before.Position.Line, column: before.Position.Column}
			}
		}
		before = t
	}
	return place{}
}

// odd is a text that the library would write as it does not read it, or that a
// terminal would obey.
type odd string

func (o odd) MarshalYAML() ([]byte, error) { return strconv.AppendQuote(nil, string(o)), nil }

// quoteOdd has the odd texts of a document written in quotes.
func quoteOdd(value any) any {
	switch v := value.(type) {
	case yaml.MapSlice:
		for i := range v {
			v[i].Value = quoteOdd(v[i].Value)
		}
	case []any:
		for i := range v {
			v[i] = quoteOdd(v[i])
		}
	case []yaml.MapSlice:
		for i := range v {
			quoteOdd(v[i])
		}
	case []string:
		list := make([]any, len(v))
		for i := range v {
			list[i] = quoteOdd(v[i])
		}
		return list
	case string:
		unprintable := strings.ContainsFunc(v, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
		if unprintable || !readsBack(v) || strings.Contains(v, "\n") && (strings.HasPrefix(v, "\n") || strings.HasPrefix(v, " ") || strings.Contains(v+"\n", " \n")) {
			return odd(v)
		}
	}
	return value
}

// readsBack tells that the library reads a text as it writes it.
func readsBack(text string) bool {
	if plain.MatchString(text) {
		return true // mostly
	}
	var list []any
	out, err := yaml.Marshal([]string{text})
	return err == nil && yaml.Unmarshal(out, &list) == nil && len(list) == 1 && list[0] == text
}

// unchanged says which value formatting would change, as a name that the library
// writes otherwise than it reads it.
func unchanged(name string, text, out []byte) error {
	before, err := values(text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	after, err := values(out)
	if err == nil && equal(before, after) {
		return nil
	}
	at := ""
	if err == nil {
		at = " at " + changed("", before, after)
	}
	return fmt.Errorf("%s: not formatted, for that would change what it says%s: leave the file as it is", name, at)
}

// values are those of a text that parses.
func values(text []byte) (all any, err error) {
	file, err := syntaxTree(text, 0)
	if err != nil {
		return nil, err
	}
	for _, doc := range file.Docs {
		if doc.Body != nil {
			return all, yaml.NodeToValue(doc.Body, &all)
		}
	}
	return nil, nil
}

// equal compares values as they are printed: the library reads the 1e-06 that it
// writes as a text, which a policy takes for a number.
func equal(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// changed is the path below at where two documents begin to differ.
func changed(at string, before, after any) string {
	switch b := before.(type) {
	case map[string]any:
		a, _ := after.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(b)) {
			if !equal(b[key], a[key]) {
				return changed(strings.TrimPrefix(at+"."+key, "."), b[key], a[key])
			}
		}
	case []any:
		a, _ := after.([]any)
		for i := range min(len(a), len(b)) {
			if !equal(b[i], a[i]) {
				return changed(fmt.Sprintf("%s[%d]", at, i), b[i], a[i])
			}
		}
	}
	return at
}
