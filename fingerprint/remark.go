package fingerprint

import (
	"bytes"
	"slices"
)

// Agents say of each command for a shell what it is for, in a member beside it of
// the call's arguments: Claude Code, opencode, Gemini CLI and Qwen Code in
// description, Cursor in explanation, Copilot in goal too, Codex in justification,
// Amazon Q in summary. The words are new each time, though the same is done.
var (
	remarks  = []string{"description", "explanation", "goal", "justification", "summary"}
	commands = []string{"command", "cmd"}
	// What the names of such tools have in them: elsewhere a command may be a verb,
	// and the description what it is about.
	shells = [][]byte{[]byte("bash"), []byte("shell"), []byte("terminal"), []byte("exec"), []byte("command")}
)

// isShell tells whether a tool of a name runs commands.
func (w *Writer) isShell(name []byte) bool {
	w.lowered = appendPythonLower(w.lowered[:0], name)
	return slices.ContainsFunc(shells, func(shell []byte) bool { return bytes.Contains(w.lowered, shell) })
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
	return slices.ContainsFunc(members, func(m member) bool { return slices.Contains(commands, string(m.name)) }) &&
		slices.ContainsFunc(members, func(m member) bool { return m.isRemark(text) })
}

func withoutRemarks(members []member, text []byte) []member {
	return slices.DeleteFunc(members, func(m member) bool { return m.isRemark(text) })
}

// isRemark tells whether a member is a text in which an agent may say what a
// command is for.
func (m *member) isRemark(text []byte) bool {
	return slices.Contains(remarks, string(m.name)) && text[m.end-1] == '"'
}
