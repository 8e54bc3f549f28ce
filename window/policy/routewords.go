package policy

import (
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"github.com/loopgauge/loopgauge/window"
)

// routeWords are the values of an alert's fields of which all are known.
func (d *draft) routeWords() map[string][]string {
	return map[string][]string{"severity": namesOf(window.Severities), "rule": named(d.rules, nameOf)}
}

// routeTypos finds texts that a field is held against and can never be: the
// route would be passed over, and who it was to tell, or to spare, not know.
func (r *reader) routeTypos(parsed *cel.Ast, at place, words map[string][]string) {
	native := parsed.NativeRep()
	ast.PostOrderVisit(native.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		call := e.AsCall()
		switch call.FunctionName() {
		case operators.Equals, operators.NotEquals, operators.In:
		default:
			return
		}
		field, value := call.Args()[0], call.Args()[1]
		if value.Kind() == ast.IdentKind {
			field, value = value, field
		}
		if field.Kind() != ast.IdentKind {
			return
		}
		known := words[field.AsIdent()]
		if len(known) == 0 { // or no rule could be read
			return
		}
		texts := []ast.Expr{value}
		if value.Kind() == ast.ListKind {
			texts = value.AsList().Elements()
		}
		for _, text := range texts {
			if text.Kind() != ast.LiteralKind {
				continue
			}
			if word, ok := text.AsLiteral().(types.String); ok && !slices.Contains(known, string(word)) {
				where := native.SourceInfo().GetStartLocation(text.ID())
				r.problem(at.inside(where.Line(), where.Column()+1), "no %s is called %q%s", field.AsIdent(), string(word), suggest(string(word), known))
			}
		}
	}))
}
