// Command synthetic writes a log of agents that call tools, in loopgauge's own
// format: as many requests as are asked for, of one hundredth as many sessions,
// some of which repeat themselves. The same number gives the same log.
//
//	synthetic -requests N > OUT
package main

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"time"
)

const (
	live = 500 // sessions at a time
	long = 100 // requests of a session
)

type session struct {
	number, left int
	call, run    int // the call, and how often it still comes
}

func main() {
	requests := flag.Int("requests", 1_000_000, "how many `requests` to write")
	flag.Parse()
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	random := rand.New(rand.NewPCG(1, 2))
	sessions := make([]session, live)
	started := 0
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	var line []byte
	for i := range *requests {
		now = now.Add(time.Duration(1+random.IntN(40_000)) * time.Microsecond) // never two at once: SQL counts them as one another's repeats
		s := &sessions[random.IntN(live)]
		if s.left == 0 {
			started++
			*s = session{number: started, left: long}
		}
		s.left--
		if s.run == 0 {
			s.run, s.call = 1, random.IntN(5000)
			if random.IntN(50) == 0 {
				s.run = 2 + random.IntN(10)
			}
		}
		s.run--
		line = now.AppendFormat(append(line[:0], `{"time":"`...), "2006-01-02T15:04:05.000000Z")
		line = fmt.Appendf(line, `","id":"r%d","session":"s%d","caller":"team-%d","model":"m%d","status":200,"tokens_in":%d,"tokens_out":%d,"tool_calls":[{"name":"search","arguments":{"q":%d}}]}`+"\n",
			i, s.number, s.number%50, s.number%4, random.IntN(4000), random.IntN(500), s.call)
		if _, err := out.Write(line); err != nil {
			fmt.Fprintln(os.Stderr, "synthetic:", err)
			os.Exit(1)
		}
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "synthetic:", err)
		os.Exit(1)
	}
}
