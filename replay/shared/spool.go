package shared

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// Dataset is where the rows of partitions go, part by part. All processes that
// share the topic write to the same one.
type Dataset interface {
	// ID tells it, and the policy by which it is written, from every other.
	ID() string
	// Spool is a folder for rows that are not in it yet. All processes see it.
	Spool() string
	// Holds tells whether there is something of a partition in it.
	Holds(partition int) (bool, error)
	// Part begins a part of a partition: parts have numbers, and first is how
	// many events the partition put into those before. It is nil if the part
	// is in the dataset, or was.
	Part(partition int, number, first int64) (live.Part, error)
}

// spool gathers the rows of one partition until they are a part of the dataset.
// A checkpoint says how much of which files of it counts. Each process that has
// the partition writes to files of its own, so that one that has lost it, and
// does not know, spoils nothing. They are named by its turn, or a later one where
// that is taken.
type spool struct {
	dataset   Dataset
	plan      *window.Plan
	partition int
	turn      int
	interval  time.Duration // that a part covers

	rows   *live.Rows
	part   gathered   // the part to come
	closed []gathered // parts that a checkpoint has, or is to have, and the dataset may lack
	file   *os.File   // ours, of the part to come; nil if there is none
	out    *bufio.Writer
}

// gathered is what there is of a part, by its number and that of its first
// event.
type gathered struct {
	number, first int64
	pieces        []piece // in their order; ours is the last
}

// piece is the beginning of the file that a process wrote for a part.
type piece struct {
	turn   int
	length int64
}

func newSpool(o *WatchOptions, partition, turn int) *spool {
	s := &spool{dataset: o.Dataset, plan: o.Plan, partition: partition, turn: turn, interval: o.PartInterval, rows: live.NewRows(&o.Job), part: gathered{number: 1}}
	s.rows.To = s
	return s
}

// name is of the file that a process wrote for a part.
func (s *spool) name(number int64, turn int) string {
	return filepath.Join(s.dataset.Spool(), fmt.Sprintf("%04d-%09d-%d", s.partition, number, turn))
}

var spoolNames = regexp.MustCompile(`^(\d{4,9})-(\d{9,18})-(\d{1,10})$`)

// Write adds to our file of the part, which the first call makes.
func (s *spool) Write(b []byte) (int, error) {
	if s.file == nil {
		if err := os.MkdirAll(s.dataset.Spool(), 0o700); err != nil {
			return 0, err
		}
		f, err := s.create()
		if err != nil {
			return 0, err
		}
		s.file, s.out = f, bufio.NewWriterSize(f, 1<<16)
		s.part.pieces = append(s.part.pieces, piece{turn: s.turn})
	}
	n, err := s.out.Write(b)
	s.part.pieces[len(s.part.pieces)-1].length += int64(n)
	return n, err
}

// create makes our file of the part. One that is there is another's: a checkpoint
// may know it, as brokers that lost what a group had come to count its
// generations anew.
func (s *spool) create() (*os.File, error) {
	for {
		f, err := os.OpenFile(s.name(s.part.number, s.turn), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if !os.IsExist(err) {
			return f, err
		}
		s.turn++
	}
}

// due tells whether the part is to be closed, also where nothing more comes.
func (s *spool) due() bool {
	return (len(s.part.pieces) > 0 || !s.rows.Began.IsZero()) && live.Full(0, s.rows.Began, s.interval)
}

// sync makes last what was gathered, and closes the part if it is time, or if
// this is the last that comes of us.
func (s *spool) sync(last bool) error {
	if err := s.rows.Flush(); err != nil {
		return err
	}
	if s.file != nil {
		if err := errors.Join(s.out.Flush(), s.file.Sync()); err != nil {
			return err
		}
	}
	var size int64
	for _, p := range s.part.pieces {
		size += p.length
	}
	if size == 0 || !last && !live.Full(size, s.rows.Began, s.interval) {
		return nil
	}
	s.closed = append(s.closed, s.part)
	s.part, s.rows.Began = gathered{number: s.part.number + 1, first: s.rows.Next}, time.Time{}
	return s.end()
}

// end lets go of our file.
func (s *spool) end() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file, s.out = nil, nil
	return err
}

// publish puts the parts into the dataset that a checkpoint has closed, unless
// they are there.
func (s *spool) publish(report func() replay.Report) error {
	for len(s.closed) > 0 {
		one := s.closed[0]
		if err := s.publishPart(&one, report); err != nil {
			return err
		}
		for _, p := range one.pieces {
			if err := os.Remove(s.name(one.number, p.turn)); err != nil && !os.IsNotExist(err) {
				return err
			}
		}
		s.closed = s.closed[1:]
	}
	return nil
}

func (s *spool) publishPart(one *gathered, report func() replay.Report) error {
	part, err := s.dataset.Part(s.partition, one.number, one.first)
	if part == nil || err != nil {
		return err
	}
	defer part.Abort()
	var data []byte
	for _, p := range one.pieces {
		if data, err = s.read(data, one.number, p); err != nil {
			return err
		}
	}
	if err := live.ReadRows(s.plan, data, part, one.first); err != nil {
		return fmt.Errorf("%s: part %d of partition %d: %w", s.dataset.Spool(), one.number, s.partition, err)
	}
	return part.Close(report())
}

// read appends a piece.
func (s *spool) read(data []byte, number int64, p piece) ([]byte, error) {
	name := s.name(number, p.turn)
	f, err := os.Open(name)
	if err != nil {
		return nil, &problem{err.Error(), "every watch of the group must see the directory of --out: it holds what another has gathered"}
	}
	defer f.Close()
	from := len(data)
	data = slices.Grow(data, int(p.length))[:from+int(p.length)]
	if _, err := io.ReadFull(f, data[from:]); err != nil {
		return nil, fmt.Errorf("%s: %w: a checkpoint knows %d bytes of it", name, err, p.length)
	}
	return data, nil
}

// clean removes what processes have left that had the partition before us:
// what no checkpoint knows of.
func (s *spool) clean() error {
	entries, err := os.ReadDir(s.dataset.Spool())
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, e := range entries {
		m := spoolNames.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		partition, _ := strconv.Atoi(m[1])
		number, _ := strconv.ParseInt(m[2], 10, 64)
		turn, _ := strconv.Atoi(m[3])
		known := func(g gathered) bool {
			return g.number == number && slices.ContainsFunc(g.pieces, func(p piece) bool { return p.turn == turn })
		}
		if partition != s.partition || turn >= s.turn || known(s.part) || slices.ContainsFunc(s.closed, known) {
			continue
		}
		if err := os.Remove(filepath.Join(s.dataset.Spool(), e.Name())); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

func (s *spool) code(c *snapshot.Codec) {
	c.Varint(&s.rows.Next)
	began := int64(0)
	if !s.rows.Began.IsZero() {
		began = s.rows.Began.UnixMicro()
	}
	if c.Varint(&began); c.Reads() && began > 0 {
		s.rows.Began = live.Began(began)
	}
	s.part.code(c)
	snapshot.List(c, &s.closed, 3, func(g *gathered) { g.code(c) })
}

func (g *gathered) code(c *snapshot.Codec) {
	c.Varint(&g.number)
	c.Varint(&g.first)
	snapshot.List(c, &g.pieces, 2, func(p *piece) {
		snapshot.Number(c, &p.turn)
		c.Varint(&p.length)
		c.Check(p.length >= 0 && p.length <= 1<<40, "a piece has %d bytes", p.length)
	})
}
