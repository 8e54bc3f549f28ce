package parquet

import (
	"cmp"
	"time"
)

// days writes a table whose rows come in the order of time, so that one day
// after the other is written.
type days[W closer] struct {
	d     *Dataset
	table string
	day   string
	from  int64 // when the day begins, microseconds
	begun bool
	out   W // of the day, if it has begun
	open  func(d *Dataset, parts ...string) (W, error)
}

// closer is a file that can be ended.
type closer interface{ close() error }

// dayLength is in microseconds.
const dayLength = 24 * int64(time.Hour/time.Microsecond)

// turn opens the file of the day of a time, microseconds.
func (w *days[W]) turn(t int64) error {
	if w.begun && t >= w.from && t-w.from < dayLength {
		return nil
	}
	w.from = t - (t%dayLength+dayLength)%dayLength
	return w.begin(date(t))
}

func (w *days[W]) begin(day string) error {
	if err := w.close(); err != nil {
		return err
	}
	out, err := w.open(w.d, w.table, day, cmp.Or(w.d.part, w.table)+".parquet")
	if err != nil {
		return err
	}
	w.day, w.out, w.begun = day, out, true
	return nil
}

func (w *days[W]) close() error {
	if !w.begun {
		return nil
	}
	w.begun = false
	return w.out.close()
}
