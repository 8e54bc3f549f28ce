package policy

import (
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"
)

// Format writes a policy in the usual form: indented by two, lists under their
// key, comments kept. Formatting twice gives what formatting once gave.
func Format(name string, text []byte) ([]byte, error) {
	r := &reader{file: name, kind: policyKind}
	if r.document(text) == nil {
		return nil, r.errors
	}
	file, err := parser.ParseBytes(text, parser.ParseComments)
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
	return yaml.MarshalWithOptions(doc, yaml.WithComment(comments), yaml.Indent(2), yaml.IndentSequence(true), yaml.UseLiteralStyleIfMultiline(true))
}
