package fingerprint

import "bytes"

// Agents in ReAct's form have the model write a thought, which is another at each
// step, and below it what is to be done.

var action, actionInput, observation = []byte("Action:"), []byte("Action Input:"), []byte("Observation:")

// action is what a trimmed answer in ReAct's form does, nil if it does nothing: its
// only action, a line that ends in what the tool is given, search[loops], or one
// with the name of the tool, and in the next what it is given.
func (t spoken) action() []byte {
	from := bytes.Index(t.text, action)
	if from < 0 || !t.beginsLine(from) {
		return nil
	}
	behind := t.text[from+len(action):]
	call, _ := t.cutLine(behind, observation) // CrewAI has what came of it in the same answer
	if bytes.Contains(call, action) {
		return nil
	}
	name, _, given := bytes.Cut(call, actionInput)
	switch {
	case given:
		line := (spoken{text: name, verbatim: t.verbatim}).trim().text
		if len(line) == 0 || t.endsLine(line) || !t.beginsLine(from+len(action)+len(name)) {
			return nil
		}
	case !bytes.HasSuffix(behind, []byte("]")) || t.endsLine(behind):
		return nil
	}
	return t.text[from:]
}
