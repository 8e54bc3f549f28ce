package policy

import (
	"math"
	"slices"
	"strings"
	"time"
	"unsafe"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Variable is a field of a request that an expression may use.
type Variable struct {
	Name string
	Type string // as CEL names it

	celType *cel.Type
	reads   fingerprint.Field
	// value is nil where the log does not carry the field: the condition it
	// stands in is false then.
	value  func(r *fingerprint.Request) any
	text   func(r *fingerprint.Request) []byte // the same, of a text
	number func(r *fingerprint.Request) int64  // of an int; fingerprint.Unknown where there is none
}

// Variables are the fields of a request in expressions. Text that is not
// logged is empty.
var Variables = []Variable{
	textVariable("id", func(r *fingerprint.Request) []byte { return r.ID }), // the gateway's id of the call
	textVariable("method", func(r *fingerprint.Request) []byte { return r.Method }),
	textVariable("path", func(r *fingerprint.Request) []byte { return r.Path }),
	{"query", "string", cel.StringType, fingerprint.ReadsQuery, func(r *fingerprint.Request) any { return view(r.Query.Raw) }, nil, nil}, // query as it stands behind the question mark
	textVariable("caller", func(r *fingerprint.Request) []byte { return r.Caller }),                                                      // API key, its hash or the consumer, as logged
	textVariable("user", func(r *fingerprint.Request) []byte { return r.User }),
	textVariable("session", func(r *fingerprint.Request) []byte { return r.Session }),
	textVariable("model", func(r *fingerprint.Request) []byte { return r.Model }),     // model asked for
	textVariable("backend", func(r *fingerprint.Request) []byte { return r.Backend }), // provider
	textVariable("error", func(r *fingerprint.Request) []byte { return r.Error }),     // error class or message
	numberVariable("status", func(r *fingerprint.Request) int64 { return int64(r.Status) }),
	numberVariable("tokens_in", func(r *fingerprint.Request) int64 { return r.TokensIn }),   // prompt tokens
	numberVariable("tokens_out", func(r *fingerprint.Request) int64 { return r.TokensOut }), // completion tokens
	numberVariable("max_tokens", func(r *fingerprint.Request) int64 { return r.MaxTokens }), // limit that the client set
	{"cost", "double", cel.DoubleType, 0, func(r *fingerprint.Request) any { // USD
		if math.IsNaN(r.Cost) {
			return nil
		}
		return r.Cost
	}, nil, nil},
	triVariable("has_tools", fingerprint.ReadsTools, func(r *fingerprint.Request) fingerprint.Tri { return r.HasTools }),            // tools were offered
	triVariable("stream", 0, func(r *fingerprint.Request) fingerprint.Tri { return r.Stream }),                                      // the response was streamed
	triVariable("cached", 0, func(r *fingerprint.Request) fingerprint.Tri { return r.Cached }),                                      // the response came from a cache
	{"time", "timestamp", cel.TimestampType, 0, func(r *fingerprint.Request) any { return time.UnixMicro(r.Time).UTC() }, nil, nil}, // start of the request
	{"attributes", "map(string, string)", cel.MapType(cel.StringType, cel.StringType), fingerprint.ReadsAttributes, func(r *fingerprint.Request) any { // all other fields: attributes["header:x-team"]
		m := make(map[string]string, len(r.Attributes))
		for _, a := range r.Attributes {
			m[view(a.Name)] = view(a.Value)
		}
		return m
	}, nil, nil},
}

func textVariable(name string, get func(*fingerprint.Request) []byte) Variable {
	return Variable{name, "string", cel.StringType, 0, func(r *fingerprint.Request) any { return view(get(r)) }, get, nil}
}

func numberVariable(name string, get func(*fingerprint.Request) int64) Variable {
	return Variable{name, "int", cel.IntType, 0, func(r *fingerprint.Request) any {
		if n := get(r); n != fingerprint.Unknown {
			return n
		}
		return nil
	}, nil, get}
}

func triVariable(name string, reads fingerprint.Field, get func(*fingerprint.Request) fingerprint.Tri) Variable {
	return Variable{name, "bool", cel.BoolType, reads, func(r *fingerprint.Request) any {
		switch get(r) {
		case fingerprint.Yes:
			return true
		case fingerprint.No:
			return false
		}
		return nil
	}, nil, nil}
}

// view is text as a string without a copy. Evaluation ends before the line is
// gone.
func view(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

// matchCost bounds the work of one evaluation, so that no expression can hold
// a run up.
const matchCost = 100_000

// programOptions compile patterns once, and so find one that is wrong also in
// matches(path, "["), at which literals do not look.
var programOptions = []cel.ProgramOption{cel.CostLimit(matchCost), cel.EvalOptions(cel.OptOptimize)}

// literals are checked when a condition is read: one that is wrong makes the
// condition fail for every request, which is not to match.
var literals = cel.ASTValidators(cel.ValidateRegexLiterals(), cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals())

var environment = func() *cel.Env {
	options := []cel.EnvOption{literals}
	for _, v := range Variables {
		options = append(options, cel.Variable(v.Name, v.celType))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		panic(err)
	}
	return env
}()

// matcher is a compiled expression.
type matcher struct {
	match  func(*fingerprint.Request) bool
	reads  fingerprint.Field
	fields []string // names of the variables in it
}

// parse parses and checks a condition on a request, or an alert; problems name
// its line and column in the expression. It is nil if there are any.
func (r *reader) parse(env *cel.Env, text string, at place, of string, names []string) *cel.Ast {
	parsed, issues := env.Compile(text)
	if issues != nil && issues.Err() != nil {
		for _, e := range issues.Errors() {
			r.problem(at.inside(e.Location.Line(), e.Location.Column()+1), "%s", celProblem(e.Message, of, names))
			if strings.HasPrefix(e.Message, "Syntax error: ") {
				break // the others follow from it
			}
		}
		return nil
	}
	if parsed.OutputType() != cel.BoolType && parsed.OutputType() != cel.DynType {
		r.problem(at, "must be a condition, is of type %s", parsed.OutputType())
		return nil
	}
	return parsed
}

// compile compiles a condition on a request.
func (r *reader) compile(text string, at place) matcher {
	names := named(Variables, func(v Variable) string { return v.Name })
	parsed := r.parse(environment, text, at, "request", names)
	if parsed == nil {
		return matcher{}
	}
	program, err := environment.Program(parsed, programOptions...)
	if err != nil {
		r.problem(at, "%s", err)
		return matcher{}
	}
	m := matcher{match: func(req *fingerprint.Request) bool {
		out, _, err := program.Eval(&activation{r: req})
		return err == nil && out == types.True
	}}
	if simple := comparison(parsed.NativeRep().Expr()); simple != nil {
		m.match = simple
	}
	for _, ref := range parsed.NativeRep().ReferenceMap() {
		for _, v := range Variables {
			if ref.Name == v.Name {
				m.reads |= v.reads
				m.fields = append(m.fields, v.Name)
			}
		}
	}
	return m
}

// comparison is a text or number compared with a literal, as in session == ""
// or max_tokens == 1, without the interpreter, which takes as long as reading a
// short line does. It is nil for every other expression.
func comparison(e ast.Expr) func(*fingerprint.Request) bool {
	if e.Kind() != ast.CallKind {
		return nil
	}
	call := e.AsCall()
	function, args := call.FunctionName(), call.Args()
	if function != operators.Equals && function != operators.NotEquals || args[0].Kind() != ast.IdentKind || args[1].Kind() != ast.LiteralKind {
		return nil
	}
	equal := function == operators.Equals
	i := slices.IndexFunc(Variables, func(v Variable) bool { return v.Name == args[0].AsIdent() })
	if i < 0 {
		return nil
	}
	switch want := args[1].AsLiteral().(type) {
	case types.String:
		if text := Variables[i].text; text != nil {
			return func(r *fingerprint.Request) bool { return (string(text(r)) == string(want)) == equal }
		}
	case types.Int:
		if number := Variables[i].number; number != nil {
			return func(r *fingerprint.Request) bool {
				n := number(r)
				return n != fingerprint.Unknown && (n == int64(want)) == equal
			}
		}
	}
	return nil
}

// activation gives an evaluation the fields of a request, as they are asked
// for.
type activation struct {
	r          *fingerprint.Request
	attributes any // once asked for: a macro asks again for each of them
}

func (a *activation) ResolveName(name string) (any, bool) {
	if name == "attributes" && a.attributes != nil {
		return a.attributes, true
	}
	for i := range Variables {
		if Variables[i].Name == name {
			value := Variables[i].value(a.r)
			if name == "attributes" {
				a.attributes = value
			}
			return value, value != nil
		}
	}
	return nil, false
}

func (a *activation) Parent() cel.Activation { return nil }
