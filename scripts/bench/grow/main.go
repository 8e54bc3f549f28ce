// Command grow makes a long log out of a short one: it writes a LiteLLM log
// several times over, each copy later than the one before and with ids of its
// own, so that no request of one copy is a repeat of another's.
//
//	grow -copies N [-first K] [-line BYTES] LOG.jsonl.zst > OUT
//
// Copy k is shifted by k times the log's span and an hour; its ids and
// sessions end in -k. Copy 0 is the log as it is, or with -line the log with
// only as many of each line's last messages as fit.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

const hour = 3600_000_000 // microseconds

const messagesKey = `"messages": `

// The fields that differ between copies, all of them before the messages.
var (
	ids   = []string{`"id": "`, `"trace_id": "`}
	times = []string{`"startTime": `, `"endTime": `, `"completionStartTime": `}
)

// change is a place in the log where copies differ.
type change struct {
	at, end int   // the bytes that it replaces; empty for an id
	micros  int64 // the time there; 0 for an id
}

func main() {
	copies := flag.Int("copies", 1, "how many `copies` to write")
	first := flag.Int("first", 0, "the first copy's `number`")
	line := flag.Int("line", 0, "keep the last messages that fit a line of so many `bytes`, at least one; 0 keeps all")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := grow(os.Stdout, flag.Arg(0), *first, *copies, *line); err != nil {
		fmt.Fprintln(os.Stderr, "grow:", err)
		os.Exit(1)
	}
}

func grow(w io.Writer, name string, first, copies, line int) error {
	log, err := unpack(name)
	if err != nil {
		return err
	}
	if line > 0 {
		if log, err = shorten(log, line); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	changes, span, err := find(log)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	out := bufio.NewWriterSize(w, 1<<20)
	var number []byte // what stands at a change
	for k := first; k < first+copies; k++ {
		if k == 0 {
			if _, err := out.Write(log); err != nil {
				return err
			}
			continue
		}
		from := 0
		for _, c := range changes {
			if _, err := out.Write(log[from:c.at]); err != nil {
				return err
			}
			if c.micros == 0 {
				number = fmt.Appendf(number[:0], "-%d", k)
			} else {
				t := c.micros + int64(k)*(span+hour)
				number = fmt.Appendf(number[:0], "%d.%06d", t/1e6, t%1e6)
			}
			if _, err := out.Write(number); err != nil {
				return err
			}
			from = c.end
		}
		if _, err := out.Write(log[from:]); err != nil {
			return err
		}
	}
	return out.Flush()
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

// find lists the changes in the log's order, and the time from its first
// start to its last end.
func find(log []byte) (changes []change, span int64, err error) {
	var earliest, latest int64
	start, number := 0, 0
	for line := range bytes.Lines(log) {
		number++
		head, _, ok := bytes.Cut(line, []byte(messagesKey))
		if !ok {
			return nil, 0, fmt.Errorf("line %d: no messages", number)
		}
		for _, key := range ids {
			_, end, ok := value(head, key, '"')
			if !ok {
				return nil, 0, fmt.Errorf("line %d: no %s", number, key)
			}
			changes = append(changes, change{at: start + end, end: start + end})
		}
		for _, key := range times {
			at, end, ok := value(head, key, ',')
			if !ok {
				return nil, 0, fmt.Errorf("line %d: no %s", number, key)
			}
			t, err := micros(string(line[at:end]))
			if err != nil {
				return nil, 0, fmt.Errorf("line %d: %s%w", number, key, err)
			}
			if earliest == 0 || t < earliest {
				earliest = t
			}
			latest = max(latest, t)
			changes = append(changes, change{at: start + at, end: start + end, micros: t})
		}
		start += len(line)
	}
	for i := 1; i < len(changes); i++ {
		if changes[i].at < changes[i-1].end {
			return nil, 0, fmt.Errorf("the fields are not in the order that is known")
		}
	}
	return changes, latest - earliest, nil
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
