package wrap

import "bytes"

// syslog cuts the header off: that of RFC 5424, that of RFC 3164, and those of
// the files of rsyslog and syslog-ng, which lack the priority and may have a
// time of RFC 3339. In streams of RFC 6587 the length stands in front of each
// message, and the next follows at once, or on a line of its own.
type syslog struct{}

func detectSyslog(line []byte) bool {
	first, _ := cutFrame(line)
	_, ok := cutSyslog(first)
	return ok
}

func (syslog) Unwrap(line Line, next func(Line)) string {
	message, rest := cutFrame(line.Text)
	text, ok := cutSyslog(message)
	if !ok && len(rest) == 0 {
		return "expected a syslog header"
	}
	for {
		if !ok {
			text = message // for who comes next to find fault with: the others go on
		}
		next(line.inner(text))
		if len(rest) == 0 {
			return ""
		}
		message, rest = cutFrame(rest)
		text, ok = cutSyslog(message)
	}
}

// cutFrame takes the first message of a line, without the length in front. Where
// there is none it is the line. A length that leads into the middle of something
// is not believed: then the message goes on to where the next one begins.
func cutFrame(line []byte) (message, rest []byte) {
	header, length := frame6587(line)
	if header == 0 {
		return line, nil
	}
	line = line[header:]
	if length < len(line) {
		rest = bytes.TrimLeft(line[length:], " \t\r")
		if header, _ = frame6587(rest); header > 0 || len(rest) == 0 {
			return line[:length], rest
		}
	}
	if length != len(line) && length != len(line)+1 { // its newline may count
		for at := range line {
			if header, _ := frame6587(line[at:]); header > 0 {
				return line[:at], line[at:]
			}
		}
	}
	return line, nil
}

// frame6587 reads the length in front of a message, and tells how much to cut
// off for it: 0 if there is none.
func frame6587(line []byte) (header, length int) {
	n := digits(line[:min(len(line), 9)])
	if n == 0 || n > 7 || line[0] == '0' || line[n] != ' ' || priority(line[n+1:]) == 0 {
		return 0, 0
	}
	for _, c := range line[:n] {
		length = 10*length + int(c-'0')
	}
	return n + 1, length
}

// priority is how long the priority is that a message begins with, such as
// <134>; 0 if it begins otherwise.
func priority(line []byte) int {
	if len(line) == 0 || line[0] != '<' {
		return 0
	}
	n := digits(line[1:])
	if n == 0 || n > 3 || line[1+n] != '>' {
		return 0
	}
	return n + 2
}

// cutSyslog gives the message behind the header. Of that there may be no more than
// the priority, with a time or without, as HAProxy writes it to a container's output.
func cutSyslog(line []byte) (message []byte, ok bool) {
	hasPriority := len(line) > 0 && line[0] == '<'
	if hasPriority {
		n := priority(line)
		if n == 0 {
			return nil, false
		}
		line = line[n:]
		if rest, ok := bytes.CutPrefix(line, []byte("1 ")); ok {
			return cutRFC5424(rest)
		}
	}
	if rest, ok := cutTraditionalTime(line); ok {
		return cutTag(rest)
	}
	stamp, rest, ok := bytes.Cut(line, []byte(" "))
	if !ok || !isStamp(stamp) {
		return line, hasPriority
	}
	if word, _, _ := bytes.Cut(rest, []byte(" ")); !hasPriority && bytes.HasSuffix(word, []byte(":")) {
		return nil, false // of a file, which has the host: it is an event of a stream with a time in front
	}
	if message, ok = cutTag(rest); !ok {
		return rest, hasPriority
	}
	return message, true
}

// digits is how many digits text begins with. It is short of the whole text.
func digits(text []byte) int {
	n := 0
	for n+1 < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return n
}

// isStamp knows times of RFC 3339.
func isStamp(t []byte) bool {
	return len(t) >= len("2006-01-02T15:04:05") && t[4] == '-' && t[7] == '-' && t[10] == 'T' && t[13] == ':' && t[16] == ':'
}

// cutRFC5424 reads time, host, application, process, message id and structured
// data.
func cutRFC5424(line []byte) (message []byte, ok bool) {
	for i := range 5 {
		var word []byte
		word, line, ok = bytes.Cut(line, []byte(" "))
		if !ok || len(word) == 0 || i == 0 && string(word) != "-" && !isStamp(word) {
			return nil, false
		}
	}
	if len(line) > 0 && line[0] == '-' {
		line = line[1:]
	} else if line, ok = cutStructured(line); !ok {
		return nil, false
	}
	line = bytes.TrimPrefix(line, []byte(" "))
	return bytes.TrimPrefix(line, []byte("\uFEFF")), true
}

// cutStructured reads [id name="value" ...] once or several times. Quotes and
// brackets in a value stand behind backslashes.
func cutStructured(line []byte) (rest []byte, ok bool) {
	if len(line) == 0 || line[0] != '[' {
		return nil, false
	}
	quoted := false
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			quoted = !quoted
		case ']':
			if !quoted && (i+1 == len(line) || line[i+1] != '[') {
				return line[i+1:], true
			}
		}
	}
	return nil, false
}

// cutTraditionalTime reads a time like Nov 21 03:51:30, without year and zone;
// journalctl -o short-precise writes it with a fraction.
func cutTraditionalTime(line []byte) (rest []byte, ok bool) {
	const layout = "Jan _2 15:04:05"
	if len(line) < len(layout) || line[3] != ' ' || line[6] != ' ' || line[9] != ':' || line[12] != ':' {
		return nil, false
	}
	if !bytes.Contains([]byte("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec "), line[:4]) {
		return nil, false
	}
	line = line[len(layout):]
	if fraction, ok := bytes.CutPrefix(line, []byte(".")); ok {
		line = fraction[digits(fraction):]
	}
	return bytes.CutPrefix(line, []byte(" "))
}

// cutTag reads a host, which nginx may leave out, and a tag with a colon.
func cutTag(line []byte) (message []byte, ok bool) {
	for range 2 {
		var word []byte
		word, line, ok = bytes.Cut(line, []byte(" "))
		if !ok {
			return nil, false
		}
		if bytes.ContainsAny(word, `{"`) {
			return nil, false
		}
		if word, ok = bytes.CutSuffix(word, []byte(":")); ok {
			return bytes.TrimLeft(line, " "), len(word) > 0
		}
	}
	return nil, false
}
