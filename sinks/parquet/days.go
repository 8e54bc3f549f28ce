package parquet

import (
	"cmp"
	"errors"
	"time"

	"github.com/parquet-go/parquet-go/format"

	"github.com/loopgauge/loopgauge/sinks"
)

// days writes a table whose rows come in the order of time, so that one day
// after the other is written.
type days struct {
	d     *Dataset
	table string
	out   *columnar
	day   string
	from  int64             // when the day begins, microseconds
	file  *sinks.AtomicFile // of the day; nil before the first row and after the last
}

// dayLength is in microseconds.
const dayLength = 24 * int64(time.Hour/time.Microsecond)

// turn opens the file of the day of a time, microseconds.
func (w *days) turn(t int64) error {
	if w.file != nil && t >= w.from && t-w.from < dayLength {
		return nil
	}
	w.from = t - (t%dayLength+dayLength)%dayLength
	return w.begin(date(t))
}

func (w *days) begin(day string) error {
	if err := w.close(); err != nil {
		return err
	}
	file, err := w.d.file(w.table, day, cmp.Or(w.d.part, w.table)+".parquet")
	if err != nil {
		return err
	}
	var notes []format.KeyValue
	if w.table == "events" && w.d.shared != nil {
		notes = append(notes, firstIs(w.d.events.seq))
	}
	w.day, w.file = day, file
	w.out.begin(file, notes)
	return nil
}

func (w *days) close() error {
	if w.file == nil {
		return nil
	}
	err := errors.Join(w.out.close(), w.file.Seal())
	w.file = nil
	return err
}
