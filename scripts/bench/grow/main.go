// Command grow makes a long log out of a short one: it writes a LiteLLM log
// several times over, each copy later than the one before and with ids of its
// own, as a gateway would that more agents use.
//
//	grow -copies N [-line BYTES] LOG.jsonl.zst > OUT
//
// Copy k is shifted by k steps of more than the longest window, so that no
// request of one copy is a repeat of the same one of another's; its ids and
// sessions end in -k. Lines stand in the order in which they would have come.
// Copy 0 is the log as it is, or with -line the log with only as many of each
// line's last messages as fit.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// step is how much later the next copy is, in microseconds: 70 minutes.
const step = 70 * 60_000_000

const messagesKey = `"messages": `

// The fields that differ between copies, all of them before the messages.
var (
	ids   = []string{`"id": "`, `"trace_id": "`}
	times = []string{`"startTime": `, `"endTime": `, `"completionStartTime": `}
)

// line is a line of the log.
type line struct {
	text    []byte
	changes []change
	time    int64 // by which it stands there, microseconds: no line has less than the one before
}

// change is a place in a line where copies differ.
type change struct {
	at, end int   // the bytes that it replaces; empty for an id
	micros  int64 // the time there; 0 for an id
}

func main() {
	copies := flag.Int("copies", 1, "how many `copies` to write")
	longest := flag.Int("line", 0, "keep the last messages that fit a line of so many `bytes`, at least one; 0 keeps all")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := grow(os.Stdout, flag.Arg(0), *copies, *longest); err != nil {
		fmt.Fprintln(os.Stderr, "grow:", err)
		os.Exit(1)
	}
}

func grow(w io.Writer, name string, copies, longest int) error {
	log, err := unpack(name)
	if err != nil {
		return err
	}
	if longest > 0 {
		if log, err = shorten(log, longest); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	lines, err := find(log)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	out := bufio.NewWriterSize(w, 1<<20)
	rest := make([][]line, copies) // by copy
	for k := range rest {
		rest[k] = lines
	}
	for range copies * len(lines) {
		next, time := 0, int64(math.MaxInt64)
		for k, lines := range rest {
			if len(lines) == 0 {
				continue
			}
			if at := lines[0].time + int64(k)*step; at < time {
				next, time = k, at
			}
		}
		if err := rest[next][0].write(out, next); err != nil {
			return err
		}
		rest[next] = rest[next][1:]
	}
	return out.Flush()
}

// write writes the line as it stands in copy k.
func (l *line) write(out *bufio.Writer, k int) error {
	from := 0
	if k > 0 {
		for _, c := range l.changes {
			out.Write(l.text[from:c.at]) //nolint:errcheck // the last one tells
			if c.micros == 0 {
				fmt.Fprintf(out, "-%d", k)
			} else {
				t := c.micros + int64(k)*step
				fmt.Fprintf(out, "%d.%06d", t/1e6, t%1e6)
			}
			from = c.end
		}
	}
	_, err := out.Write(l.text[from:])
	return err
}

func unpack(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, err := zstd.NewReader(f)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return io.ReadAll(d)
}

// shorten keeps of each line the last messages that fit into size bytes, and at
// least one.
func shorten(log []byte, size int) ([]byte, error) {
	var out []byte
	number := 0
	for line := range bytes.Lines(log) {
		number++
		head, rest, ok := bytes.Cut(line, []byte(messagesKey))
		if !ok {
			return nil, fmt.Errorf("line %d: no messages", number)
		}
		var messages []json.RawMessage
		d := json.NewDecoder(bytes.NewReader(rest))
		if err := d.Decode(&messages); err != nil {
			return nil, fmt.Errorf("line %d: messages: %w", number, err)
		}
		rest = rest[d.InputOffset():]
		room := size - len(head) - len(messagesKey) - len(rest)
		from := len(messages)
		for from > 0 {
			if room -= len(messages[from-1]) + len(", "); room < 0 && from < len(messages) {
				break
			}
			from--
		}
		out = append(append(out, head...), messagesKey+"["...)
		for i, m := range messages[from:] {
			if i > 0 {
				out = append(out, ", "...)
			}
			out = append(out, m...)
		}
		out = append(append(out, ']'), rest...)
	}
	return out, nil
}

// find lists the lines with what is to be changed in them.
func find(log []byte) (list []line, err error) {
	latest := int64(0)
	for text := range bytes.Lines(log) {
		number := len(list) + 1
		l := line{text: text}
		head, _, ok := bytes.Cut(text, []byte(messagesKey))
		if !ok {
			return nil, fmt.Errorf("line %d: no messages", number)
		}
		for _, key := range ids {
			_, end, ok := value(head, key, '"')
			if !ok {
				return nil, fmt.Errorf("line %d: no %s", number, key)
			}
			l.changes = append(l.changes, change{at: end, end: end})
		}
		for _, key := range times {
			at, end, ok := value(head, key, ',')
			if !ok {
				return nil, fmt.Errorf("line %d: no %s", number, key)
			}
			t, err := micros(string(text[at:end]))
			if err != nil {
				return nil, fmt.Errorf("line %d: %s%w", number, key, err)
			}
			latest = max(latest, t)
			l.changes = append(l.changes, change{at: at, end: end, micros: t})
		}
		for i := 1; i < len(l.changes); i++ {
			if l.changes[i].at < l.changes[i-1].end {
				return nil, fmt.Errorf("line %d: the fields are not in the order that is known", number)
			}
		}
		l.time = latest
		list = append(list, l)
	}
	return list, nil
}

// value finds what stands between key and the next stop.
func value(line []byte, key string, stop byte) (at, end int, ok bool) {
	at = bytes.Index(line, []byte(key))
	if at < 0 {
		return 0, 0, false
	}
	at += len(key)
	n := bytes.IndexByte(line[at:], stop)
	return at, at + n, n >= 0
}

// micros reads seconds with at most six decimals.
func micros(text string) (int64, error) {
	whole, decimals, _ := strings.Cut(text, ".")
	if len(decimals) > 6 {
		return 0, fmt.Errorf("%s: more than six decimals", text)
	}
	return strconv.ParseInt(whole+decimals+"000000"[len(decimals):], 10, 64)
}
