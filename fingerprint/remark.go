package fingerprint

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
)

// Agents say of each command for a shell what it is for, in a member beside it of
// the call's arguments: Claude Code, opencode, Gemini CLI and Qwen Code in
// description, Cursor in explanation, Copilot in goal too, Codex in justification,
// Amazon Q in summary. The words are new each time, though the same is done.
// OpenHands asks for a summary of every call. It is left out where files are
// edited: to a tool of MCP's it may be what is done, as the title of a ticket.
var (
	remarks  = []string{"description", "explanation", "goal", "justification", "summary"}
	commands = []string{"command", "cmd"}
	// What the names of such tools have in them: elsewhere a command may be a verb,
	// and the description what it is about.
	shells = [][]byte{[]byte("bash"), []byte("shell"), []byte("terminal"), []byte("exec_command")}
	editor = []byte("file_editor") // a word of its own: a profile editor is another
	// What names have of tools that run commands or are told verbs: a verb is a word.
	runners = [][]byte{[]byte("exec"), []byte("command")}
)

// runsCommands tells whether a tool of a name runs commands, of which one is a
// word or more.
func (w *Writer) runsCommands(name []byte, word bool) bool {
	w.lowered = appendPythonLower(w.lowered[:0], name)
	before, _, edits := bytes.Cut(w.lowered, editor)
	edits = edits && (len(before) == 0 || !chars.IsLetter(before[len(before)-1]))
	return edits || chars.HasAny(w.lowered, shells) || !word && chars.HasAny(w.lowered, runners)
}

// acts is jcs of a call's arguments without remarks.
var acts = func() *jsonStyle {
	style := *jcs
	style.acts = true
	return &style
}()

// hasRemarks tells whether some of an object's members, which were written to
// text, are remarks beside a command.
func hasRemarks(members []member, text []byte) bool {
	return slices.ContainsFunc(members, member.isCommand) &&
		slices.ContainsFunc(members, func(m member) bool { return m.isRemark(text) })
}

// isOneWord tells whether each command among an object's members, which were
// written to text, is a word alone.
func isOneWord(members []member, text []byte) bool {
	return !slices.ContainsFunc(members, func(m member) bool {
		return m.isCommand() && (text[m.end-1] == ']' || bytes.IndexByte(text[m.start:m.end], ' ') >= 0)
	})
}

func withoutRemarks(members []member, text []byte) []member {
	return slices.DeleteFunc(members, func(m member) bool { return m.isRemark(text) })
}

func (m member) isCommand() bool { return slices.Contains(commands, string(m.name)) }

// isRemark tells whether a member is a text in which an agent may say what a
// command is for.
func (m member) isRemark(text []byte) bool {
	return slices.Contains(remarks, string(m.name)) && text[m.end-1] == '"'
}
