package policy

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Secret says where a secret stands: in the environment or in a file, never in
// the policy.
type Secret struct{ Env, File string }

// Read is the secret, without the newline at the end of its file.
func (s Secret) Read() (string, error) {
	if s.File != "" {
		b, err := ReadFile(s.File)
		text := strings.TrimRight(string(b), "\r\n")
		if err == nil && text == "" {
			err = errors.New(s.File + " is empty")
		}
		return text, err
	}
	text, ok := os.LookupEnv(s.Env)
	if !ok {
		return "", fmt.Errorf("%s is not set in the environment", s.Env)
	}
	if text == "" {
		return "", errors.New(s.Env + " is empty in the environment")
	}
	return text, nil
}

// secret reads what names a variable of the environment.
func secret(to *Secret) form {
	return form{func(v Value) {
		text, ok := v.node.(*ast.StringNode)
		if !ok || !fromEnvironment.MatchString(text.Value) {
			v.problem(noSecret)
			return
		}
		to.Env = strings.TrimSuffix(strings.TrimPrefix(text.Value, "${"), "}")
	}, object{"type": "string", "pattern": fromEnvironment.String()}}
}

// secretWords are what the names of settings have in them that must not stand
// in the file; NAME_file names a file instead.
var secretWords = []string{"token", "secret", "password", "webhook_url", "api_key", "authorization"}

// IsSecret tells whether a sink's setting of this name must not stand in the
// file.
func IsSecret(name string) bool {
	name = strings.ToLower(name)
	return !strings.HasSuffix(name, "_file") && slices.ContainsFunc(secretWords, func(w string) bool { return strings.Contains(name, w) })
}

// fromEnvironment is how a setting takes its value from the environment.
var fromEnvironment = regexp.MustCompile(`^\$\{[A-Za-z_][A-Za-z0-9_]*\}$`)

// passwordInURL finds the password of a URL's user.
var passwordInURL = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*:[^/?#]*@`)

// noSecret is what is said of a secret in the file.
const noSecret = "secrets do not stand in a policy: write ${NAME} and set NAME in the environment"

// secrets finds secrets in the settings of a sink, however deep.
func (v Value) secrets() {
	if _, ok := v.node.(*ast.SequenceNode); ok {
		v.List(Value.secrets)
	}
	settings, _ := v.members()
	for _, x := range settings {
		text, ok := stringOf(x.node)
		switch {
		case IsSecret(x.name) && (!ok || !fromEnvironment.MatchString(text)), ok && passwordInURL.MatchString(text):
			x.problem(noSecret)
		case !IsSecret(x.name):
			x.secrets()
		}
	}
}
