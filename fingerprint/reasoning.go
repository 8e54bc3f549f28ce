package fingerprint

import (
	"bytes"
	"strings"
)

// Models that reason in the text do it before they say something, and clients send
// both back. It is new at each step, though the step is the same, and most chat
// templates do not show it to the model again: it is no part of what was said, as
// blocks of reasoning are none.

// reasonings are what stands around it.
var reasonings = [...]struct{ open, end []byte }{
	{[]byte("<think>"), endOfThink},                               // DeepSeek-R1, Qwen3, QwQ and most others; LiteLLM and Pydantic AI write it, too
	{[]byte("<thinking>"), []byte("</thinking>")},                 // as Cline and others ask for it
	{[]byte("<thought>"), []byte("</thought>")},                   // Gemini, where OpenAI's API is spoken
	{[]byte("<reasoning>"), []byte("</reasoning>")},               // as others ask for it
	{[]byte("<seed:think>"), []byte("</seed:think>")},             // Seed-OSS
	{[]byte("[THINK]"), []byte("[/THINK]")},                       // Magistral
	{[]byte("◁think▷"), []byte("◁/think▷")},                       // Kimi
	{[]byte("<|channel|>analysis<|message|>"), []byte("<|end|>")}, // gpt-oss
}

var endOfThink = []byte("</think>")

// withoutReasoning takes the reasoning from a trimmed text of a model. If nothing
// is left it may be what is said.
func (w *Writer) withoutReasoning(t spoken) spoken {
	switch rest := t.behindReasoning(); len(rest) {
	case len(t.text):
		return t
	case 0:
		return spoken{frames: w.decoded(t)}
	default:
		return spoken{text: rest, verbatim: t.verbatim}
	}
}

// behindReasoning is what stands behind the reasoning that a text begins with. Of
// the tags nothing is escaped in JSON, so that a verbatim text has them, too.
func (t spoken) behindReasoning() []byte {
	var unclosed [len(reasonings)]bool
	for {
		n := lenReasoning(t.text, &unclosed)
		if n == 0 {
			n = t.lenContinued()
		}
		if n == 0 {
			return t.text
		}
		t.text = t.trimLeft(t.text[n:])
	}
}

// lenReasoning is how long the reasoning is that a text begins with, 0 if it
// begins with none. What is sought in vain is noted, and not sought again.
func lenReasoning(text []byte, unclosed *[len(reasonings)]bool) int {
	if len(text) == 0 || text[0] != '<' && text[0] != '[' && text[0] != reasoningOfKimi {
		return 0
	}
	for i := range reasonings {
		if r := &reasonings[i]; !unclosed[i] && bytes.HasPrefix(text, r.open) {
			if n := bytes.Index(text, r.end); n >= 0 {
				return n + len(r.end)
			}
			unclosed[i] = true
			return 0
		}
	}
	return 0
}

// reasoningOfKimi is the first byte of ◁.
const reasoningOfKimi = 0xe2

// lenContinued is lenReasoning of a text whose reasoning is closed and not opened:
// many chat templates do that, so that the answer begins behind it. The tag stands
// at an end of its line or, as DeepSeek-V3.1 has it, right between two words; one
// that does not is spoken of.
func (t spoken) lenContinued() int {
	before, behind, found := bytes.Cut(t.text, endOfThink)
	if !found || bytes.Contains(before, reasonings[0].open) {
		return 0
	}
	n := len(before) + len(endOfThink)
	rest := t.trimLeft(behind)
	if len(before) == 0 || len(rest) == 0 || t.endsLine(behind[:len(behind)-len(rest)]) {
		return n
	}
	said := (spoken{text: before, verbatim: t.verbatim}).trim()
	if t.endsLine(before[len(said.text):]) || len(said.text) == len(before) && len(rest) == len(behind) && between(before[len(before)-1], behind[0]) {
		return n
	}
	return 0
}

// between tells whether a tag stands between what was said before and behind it,
// and in no quotes, brackets or sentence.
func between(before, behind byte) bool {
	return strings.IndexByte("`'\"([{<", before) < 0 && strings.IndexByte("`'\")]}>.,;:!?\\", behind) < 0
}

// endsLine tells whether white space of the text has a newline.
func (t spoken) endsLine(space []byte) bool {
	if t.verbatim {
		return bytes.Contains(space, []byte(`\n`))
	}
	return bytes.IndexByte(space, '\n') >= 0
}
