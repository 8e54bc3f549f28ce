package fingerprint

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// Agents may have all that was said and done before in the message of the user: below the
// question a thought with its action and what was observed, step by step. To models behind
// a chat each of these is an answer with a message of the client, and so they are here.

// scratchpad is such a text. Its lines begin with the words of its form.
type scratchpad struct {
	spoken
	form *padForm
}

// padForm are the words with which lines begin: of a step, and of what stands below the
// last, where the model is to go on, with what that has in it. Where what is given to an
// action is a field of its own, all are fields with the number of the step in their names.
// The question stands behind begin; above it there may be steps for an example.
// Numbered are those of the paper on ReAct.
type padForm struct {
	begin, thought, action, given, observed, end, next []byte

	numbered bool
}

var respond = []byte("Respond with") // what DSPy asks for

var padForms = [...]padForm{
	{numbered: true, thought: []byte("Thought:"), action: action, observed: observation, end: []byte("Thought:")},
	{begin: []byte("Begin!"), thought: []byte("Thought:"), action: action, observed: observation, end: []byte("Thought:")}, // ReAct: LangChain, langchaingo
	{ // DSPy
		thought: []byte("[[ ## thought_"), action: []byte("[[ ## tool_name_"), given: []byte("[[ ## tool_args_"), observed: []byte("[[ ## observation_"),
		end: respond, next: []byte("next_thought"),
	},
	{ // with its adapter for XML
		thought: []byte("<thought_"), action: []byte("<tool_name_"), given: []byte("<tool_args_"), observed: []byte("<observation_"),
		end: respond, next: []byte("next_thought"),
	},
	{ // its RLM, which writes code
		thought: []byte("=== Step "), action: []byte("Code:"), observed: []byte("Output ("),
		end: []byte("[[ ## iteration ## ]]"), next: []byte("code"),
	},
}

// unrolled are the last steps of a scratchpad, of answers with their results, or of calls
// that threw, as messages in ReAct's form, the answer first; or the items themselves if
// they have none of which the last does something. Of calls side by side one that threw
// may be all that is left, so who makes such has none that threw.
func (w *Writer) unrolled(r *Request) []rawjson.Value {
	items := r.Messages.Items
	p := w.scratchpad(items)
	w.steps = w.steps[:0]
	if p.form != nil {
		w.addPad(p)
	} else if w.addAnswered(items); len(w.steps) == 0 && len(r.ToolCalls) < 2 {
		w.addThrown(items)
	}
	if len(w.steps) == 0 {
		return items
	}
	slices.Reverse(w.steps)
	if last := w.exchange(w.steps); last < 0 || w.deed(w.readText(w.readItem(w.steps[last]).content).trim()).text == nil {
		return items
	}
	return w.steps
}

// addPad adds the last steps of a scratchpad, the last first.
func (w *Writer) addPad(p scratchpad) {
	rest := p.text
	for range mostExchanges {
		at := p.lastLine(rest, p.form.observed)
		if at < 0 {
			break
		}
		seen := rest[at:]
		if len(w.steps) > 0 {
			before, answer := p.cutAnswer(seen)
			if answer == nil {
				break
			}
			w.addAnswer(p, answer)
			seen = before
		}
		w.addObservation(p, seen)
		rest = rest[:at]
	}
	if _, answer := p.cutAnswer(rest); answer != nil {
		w.addAnswer(p, answer)
	}
}

// scratchpad is that of a message of the user at the end, with two steps or more, if the
// model has said nothing before it; without a form if there is none. It is kept in w.
func (w *Writer) scratchpad(items []rawjson.Value) scratchpad {
	if !w.padKept {
		w.pad = w.findScratchpad(items)
		w.padKept = !w.broken
	}
	return w.pad
}

func (w *Writer) findScratchpad(items []rawjson.Value) (p scratchpad) {
	if !w.onlyAsked(items) {
		return p
	}
	it := w.readItem(items[len(items)-1])
	if it.class != isUser || it.content.Kind() != rawjson.String {
		return p
	}
	p.spoken = w.readText(it.content).trim()
	for i := range padForms {
		f := &padForms[i]
		pad := scratchpad{p.spoken, f}
		if f.numbered {
			pad.text = w.withoutNumbers(p.spoken)
		}
		if bytes.Count(pad.text, f.observed) < 2 || !bytes.Contains(pad.text, f.action) || !pad.cutEnd() {
			continue
		}
		if !p.verbatim {
			pad.text = w.decoded(pad.spoken) // stays when another text is read
		}
		return pad
	}
	return p
}

// withoutSteps is the last of some messages as it was before the first step, if it ends
// with a scratchpad, or with calls that threw.
func (w *Writer) withoutSteps(items []rawjson.Value) rawjson.Value {
	last := items[len(items)-1]
	w.steps = w.steps[:0]
	p := w.scratchpad(items)
	if p.form == nil {
		asked := w.addErrors(w.onlyText(w.readItem(last).content).trim())
		if len(w.steps) == 0 || len(asked.text) == 0 {
			return last
		}
		w.addStep(asked, "user", asked.text)
		return w.steps[len(w.steps)-1]
	}
	question := p.text
	if begin := p.form.begin; begin != nil {
		_, question = p.cutLine(p.text, begin)
	}
	_, steps := p.cutLine(question, p.form.thought)
	if steps == nil {
		return last
	}
	w.addStep(p.spoken, "user", p.text[:len(p.text)-len(steps)])
	return w.steps[0]
}

// onlyAsked tells whether the model has said nothing in the messages, which are few.
func (w *Writer) onlyAsked(items []rawjson.Value) bool {
	return len(items) > 0 && len(items) <= fewItems && !slices.ContainsFunc(items, func(v rawjson.Value) bool {
		class := w.readItem(v).class
		return class != isUser && class != isSystem
	})
}

// cutEnd cuts off what stands below the last step, and tells whether a model may go on
// there. To a transcript that was pasted, or to examples, the rest of it would say what
// is asked of them.
func (p *scratchpad) cutEnd() bool {
	at := p.lastLine(p.text, p.form.end)
	if at < 0 || at < p.lastLine(p.text, p.form.observed) {
		// langchaingo has nothing there, and above what the model is to end with.
		return p.form.next == nil && !p.form.numbered && bytes.Contains(p.text, []byte("Final Answer:"))
	}
	below := p.spoken
	below.text = p.text[at:]
	p.text = p.text[:at]
	if p.form.next != nil {
		return below.endsAsking(p.form.next)
	}
	below.text = below.text[len(p.form.end):]
	below = below.trim()
	return len(below.text) == 0 || bytes.HasPrefix(below.text, []byte("(reminder")) // LangChain's
}

// endsAsking tells whether a text ends with what DSPy asks for, and has that once: in the
// last paragraph, by the names of fields.
func (t spoken) endsAsking(next []byte) bool {
	ask := t.text
	if !bytes.HasPrefix(ask, respond) {
		_, ask = t.cutLine(ask, respond)
	}
	if t.verbatim {
		ask, _ = rawjson.AppendText(nil, ask)
	}
	return bytes.Contains(ask, next) && !bytes.Contains(ask, []byte("\n\n"))
}

// cutAnswer cuts a text before its last thought or, where it has none, its last action:
// what was observed may have others. The answer is nil if there is neither.
func (p scratchpad) cutAnswer(text []byte) (before, answer []byte) {
	at := p.lastLine(text, p.form.thought)
	if at < 0 {
		at = p.lastLine(text, p.form.action)
	}
	if at < 0 {
		return text, nil
	}
	return text[:at], text[at:]
}

func (w *Writer) addAnswer(p scratchpad, text []byte) {
	if p.form.given == nil {
		w.addStep(p.spoken, "assistant", p.unbracketed(text)...)
		return
	}
	does, given := p.cutLine(text, p.form.given)
	_, name := p.cutLine(does, p.form.action)
	w.addStep(p.spoken, "assistant", []byte("Action: "), p.field(name, p.form.action), p.newline(), []byte("Action Input: "), p.field(given, p.form.given))
}

func (w *Writer) addObservation(p scratchpad, text []byte) {
	switch {
	case p.form.given != nil:
		w.addStep(p.spoken, "user", []byte("Observation: "), p.field(text, p.form.observed))
	case p.form.next != nil:
		w.addStep(p.spoken, "user", []byte("Observation: "), text)
	default:
		w.addStep(p.spoken, "user", text)
	}
}

// addStep adds a message.
func (w *Writer) addStep(p spoken, role string, parts ...[]byte) {
	from := len(w.made)
	w.made = append(append(append(w.made, `{"role":"`...), role...), `","content":"`...)
	text := len(w.made)
	for _, part := range parts {
		w.made = append(w.made, part...)
	}
	if !p.verbatim {
		w.text = append(w.text[:0], w.made[text:]...)
		w.made = rawjson.AppendString(w.made[:text-len(`"`)], w.text)
		w.made = w.made[:len(w.made)-len(`"`)]
	}
	w.made = append(w.made, `"}`...)
	w.steps = append(w.steps, w.made[from:len(w.made):len(w.made)])
}

// field is the text of a field behind its name, which begins so: [[ ## observation_0 ## ]],
// or between two, <observation_0> and </observation_0>.
func (t spoken) field(text, name []byte) []byte {
	if name[0] != '<' {
		_, t.text, _ = bytes.Cut(text, []byte("]]"))
		return t.trim().text
	}
	_, t.text, _ = bytes.Cut(text, []byte(">"))
	if end := bytes.LastIndex(t.text, append([]byte("</"), name[1:]...)); end >= 0 {
		t.text = t.text[:end]
	}
	return t.trim().text
}

// newline is the end of a line as the text has it.
func (t spoken) newline() []byte {
	if t.verbatim {
		return []byte(`\n`)
	}
	return []byte("\n")
}

// lastLine is where the last line of a text begins that begins with a word, -1 if none
// does.
func (t spoken) lastLine(text, word []byte) int {
	t.text = text
	for at := bytes.LastIndex(text, word); at >= 0; at = bytes.LastIndex(text[:at], word) {
		if t.beginsLine(at) {
			return at
		}
	}
	return -1
}

// cutLine cuts a text before the first line behind its first that begins with a word; behind
// is nil if there is none.
func (t spoken) cutLine(text, word []byte) (before, behind []byte) {
	t.text = text
	for at := 1; at < len(text); at++ {
		n := bytes.Index(text[at:], word)
		if n < 0 {
			break
		}
		if at += n; t.beginsLine(at) {
			return text[:at], text[at:]
		}
	}
	return text, nil
}
