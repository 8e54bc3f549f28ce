package wrap

// journal undoes the journal of systemd, as journalctl -o json prints it.
type journal struct{ envelope }

func newJournal() Unwrapper { return &journal{envelope{members: []string{"MESSAGE"}}} }

func detectJournal(line []byte) bool {
	m := membersOf(line)
	return m.has("MESSAGE", "__REALTIME_TIMESTAMP")
}

func (p *journal) Unwrap(line Line, next func(Line)) string {
	text, isText, why := p.open(line.Text, nil)
	if why == "" && isText { // a list of bytes where it is no UTF-8
		next(Line{Text: text, At: line.At, Column: -1})
	}
	return why
}
