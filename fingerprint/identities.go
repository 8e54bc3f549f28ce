package fingerprint

import (
	"fmt"
	"strings"
)

// Kind is a built-in identity.
type Kind struct {
	Name string
	Make func(o Options) (*Identity, error)
}

// Kinds are the built-in identities, with what makes two requests the same. A new
// one is one file and one line here.
var Kinds = []Kind{
	{"tool-call", newToolCall},                    // name and arguments of each tool call that the model issued
	{"tool-call-result", newToolCallResult},       // each call of the last tool turn together with its result
	{"stuck-step", newStuckStep},                  // the calls the model issued, in answer to the same last tool turn
	{"last-messages", newLastMessages},            // caller, model and the last three messages
	{"last-exchange", newLastExchange},            // an answer that the model has given before, with what was said behind it, where that is no tool turn
	{"request", newRequest},                       // method, path, query and body
	{"prompt", newPrompt},                         // all messages
	{"session-model-tools", newSessionModelTools}, // session, model and whether tools were offered
	{"fairvisor", newFairvisor},                   // Fairvisor's CRC-32 over method, path, query, body hash and descriptors
	{"aisg", newAISG},                             // AISG's SHA-256 over caller, model and the last three texts
	{"tool-call-python", newToolCallPython},       // the tool-call proxy's signature, name:arguments in Python's JSON
	{"openrouter", newOpenRouter},                 // the OpenRouter SDK's SHA-256 over tool name and canonical arguments
}

// New makes the built-in identity called name, or, if name is empty, the one
// that o.Parts composes.
func New(name string, o Options) (*Identity, error) {
	id, err := newIdentity(name, o)
	if err != nil {
		return nil, err
	}
	id.spec = o.spec(name)
	return id, nil
}

// spec is of options that New has taken. What says nothing is not in it: the order
// in which parts, masks and keys are named, and that one is named twice.
func (o Options) spec(name string) string {
	parts, _ := choose(o.Parts)
	masks, _ := newMask(o.Mask)
	s := fmt.Sprintf("%q", name)
	for _, list := range []struct {
		name   string
		values []string
	}{
		{"parts", namesOf(parts, func(p *chosen) string { return p.label })},
		{"mask", namesOf(masks, func(m **Mask) string { return (*m).Name })},
		{"limit_keys", o.descriptors()},
	} {
		// None of the attributes is not all of them.
		if len(list.values) > 0 || list.name == "limit_keys" && name == "fairvisor" && list.values != nil {
			s += fmt.Sprintf(" %s=%q", list.name, list.values)
		}
	}
	if o.Lower {
		s += " lower"
	}
	if o.IgnoreBody {
		s += " ignore_body"
	}
	if o.RequireBody {
		s += " require_body"
	}
	return s
}

func newIdentity(name string, o Options) (*Identity, error) {
	if name == "" {
		return compose(o)
	}
	if len(o.Parts) > 0 {
		return nil, fmt.Errorf("either a name or parts, not both")
	}
	for _, k := range Kinds {
		if k.Name == name {
			return k.Make(o)
		}
	}
	return nil, unknown("identity", name, IdentityNames())
}

// IdentityNames are those of the built-in identities.
func IdentityNames() []string { return namesOf(Kinds, func(k *Kind) string { return k.Name }) }

func namesOf[T any](table []T, name func(*T) string) (names []string) {
	for i := range table {
		names = append(names, name(&table[i]))
	}
	return names
}

func unknown(what, name string, names []string) error {
	return fmt.Errorf("no %s is called %q; there are %s", what, name, strings.Join(names, ", "))
}
