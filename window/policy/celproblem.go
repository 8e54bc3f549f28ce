package policy

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

var noOverload = regexp.MustCompile(`^found no matching overload for '(.+)' applied to '\((.*)\)'$`)

// celFunctions are those that conditions on requests use most.
var celFunctions = []string{"startsWith", "endsWith", "contains", "matches", "size", "timestamp", "duration"}

// celLiterals are the compiler's messages on literals.
var celLiterals = map[string]string{
	"invalid matches argument":   "is no regular expression (RE2: no look-around, no back references)",
	"invalid duration argument":  `is no duration: write it as "90s" or "1h30m"`,
	"invalid timestamp argument": `is no time: write it as "2026-11-21T10:00:00Z"`,
}

// celSyntax takes apart what the parser says of a sign that CEL does not have,
// or of one where it expects the end, or a value.
var celSyntax = regexp.MustCompile(`^Syntax error: (?:token recognition error at: '(.+)'|(?:extraneous|mismatched) input '(.+)' expecting (<EOF>|\{))`)

// celSpelling is how CEL writes what other languages, and SQL, write so.
var celSpelling = map[string]string{
	"=": "==", "=~": "matches", "&": "&&", "|": "||", "and": "&&", "or": "||", "not": "!",
	"true": "true", "false": "false", "“": `"`, "”": `"`, "‘": "'", "’": "'",
}

// spelled is the advice on a word of another language; empty if it is none.
func spelled(word string) string {
	if own, ok := celSpelling[strings.ToLower(word)]; ok {
		return "; write " + own
	}
	return ""
}

// celSyntaxProblem is what the parser says, without the list of all that it
// would take.
func celSyntaxProblem(m []string) string {
	sign, input, wanted := strings.TrimSpace(m[1]), m[2], m[3]
	switch {
	case strings.ContainsAny(sign[:min(1, len(sign))], `"'`):
		return "Syntax error: the quote is not closed"
	case sign != "":
		if !strings.HasPrefix(sign, "=~") {
			_, first := utf8.DecodeRuneInString(sign)
			sign = sign[:first]
		}
		return fmt.Sprintf("Syntax error: %s is no sign of CEL%s", sign, spelled(sign))
	case input == "<EOF>":
		return "Syntax error: it ends where a value is missing"
	case wanted == "<EOF>":
		return fmt.Sprintf("Syntax error: %s is not expected here%s", input, spelled(input))
	}
	return fmt.Sprintf("Syntax error: a value is missing before %s", input)
}

// celProblem is a message of the compiler's in our words, where we have some.
func celProblem(text, of string, names []string) string {
	if m := noOverload.FindStringSubmatch(text); m != nil {
		text = fmt.Sprintf("cannot apply %s to %s", strings.Trim(m[1], "_"), strings.ReplaceAll(m[2], ", ", " and "))
		if m[2] == "double, int" {
			text += "; write 1.0 for 1"
		}
		return text
	}
	if own, ok := celLiterals[text]; ok {
		return own
	}
	if m := celSyntax.FindStringSubmatch(text); m != nil {
		return celSyntaxProblem(m)
	}
	rest, ok := strings.CutPrefix(text, "undeclared reference to '")
	name, _, _ := strings.Cut(rest, "'")
	if !ok {
		return text
	}
	for _, function := range celFunctions {
		if strings.EqualFold(name, function) || distance(name, function) == 1 {
			return fmt.Sprintf("no function is called %q; did you mean %s?", name, function)
		}
	}
	if advice := spelled(name); advice != "" {
		return fmt.Sprintf("no %s field is called %q%s", of, name, advice)
	}
	return fmt.Sprintf("no %s field is called %q%s", of, name, suggest(name, names))
}
