package fingerprint

import (
	"bytes"
	"strconv"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
)

// In the paper that gave ReAct its name the words of a step have its number behind them,
// Thought 1: and so on, and so in agents that were made after it. Above the question stand
// examples, whose steps have numbers too.

var (
	firstThought  = []byte("Thought 1:")
	numberedWords = [][]byte{[]byte("Thought "), []byte("Action "), []byte("Observation ")}
)

// withoutNumbers is such a text as others in ReAct's form are, from the last first step on;
// nil if it has none.
func (w *Writer) withoutNumbers(t spoken) []byte {
	if !bytes.Contains(t.text, firstThought) {
		return nil
	}
	first := t.lastLine(t.text, firstThought)
	if first < 0 {
		return nil
	}
	n := len(w.made)
	w.made = append(w.made, t.text[:first]...)
	step := 0
	for rest := t.text[first:]; len(rest) > 0; {
		line := rest
		if end := t.endOfLine(rest); end > 0 {
			line = rest[:end]
		}
		rest = rest[len(line):]
		if word, number, behind := cutNumber(line); goesOn(word, number, step) {
			w.made, line, step = append(w.made, word...), behind, number
		}
		w.made = append(w.made, line...)
	}
	return w.made[n:len(w.made):len(w.made)]
}

// endOfLine is where the first line of a text ends, with its end; 0 if the text has one line.
func (t spoken) endOfLine(text []byte) int {
	if n := bytes.Index(text, t.newline()); n >= 0 {
		return n + len(t.newline())
	}
	return 0
}

// goesOn tells whether a line with a word and a number is next behind those of a step: what
// is given to tools, or comes of them, may be steps, too.
func goesOn(word []byte, number, step int) bool {
	switch {
	case word == nil:
		return false
	case word[0] == 'T':
		return number == step+1
	}
	return number == step || number == step+1 && word[0] == 'A'
}

// cutNumber cuts the number of a step off a line that begins with a word of ReAct's form.
func cutNumber(line []byte) (word []byte, number int, behind []byte) {
	for _, word := range numberedWords {
		if !bytes.HasPrefix(line, word) {
			continue
		}
		n := len(word) + chars.Digits(line[len(word):], len(line))
		number, err := strconv.Atoi(string(line[len(word):n]))
		if err == nil && n < len(line) && line[n] == ':' {
			return word[:len(word)-len(" ")], number, line[n:]
		}
	}
	return nil, 0, nil
}

// unbracketed is an answer, if it is one of such a text, as one with what is given to its
// action in a line of its own: it goes up to what was observed, over lines and be its
// bracket closed or, where the model was cut short, not.
func (p scratchpad) unbracketed(text []byte) [][]byte {
	_, does := p.cutLine(text, p.form.action)
	name, given, ok := bytes.Cut(does, []byte("["))
	if !p.form.numbered || !ok {
		return [][]byte{text}
	}
	return [][]byte{name, p.newline(), actionInput, []byte(" "), given}
}
