package parquet

import (
	"cmp"
	"errors"
)

// batch is how many rows are handed over at once.
const batch = 512

// days writes a table whose rows come in the order of time, so that one day
// after the other is written.
type days[T any] struct {
	d     *Dataset
	table string
	day   string
	out   *writer[T] // nil before the first row and after the last
	rows  []T
}

// turn opens the file of the day of a time, microseconds.
func (w *days[T]) turn(t int64) error {
	day := date(t)
	if day == w.day {
		return nil
	}
	return w.begin(day)
}

func (w *days[T]) begin(day string) error {
	if err := w.close(); err != nil {
		return err
	}
	out, err := newWriter[T](w.d, w.table, day, cmp.Or(w.d.part, w.table)+".parquet")
	if err != nil {
		return err
	}
	w.day, w.out = day, out
	return nil
}

// pass hands the rows over if they are many.
func (w *days[T]) pass() error {
	if len(w.rows) < batch {
		return nil
	}
	return w.flush()
}

func (w *days[T]) flush() error {
	_, err := w.out.out.Write(w.rows)
	clear(w.rows) // lets go of what the rows point to
	w.rows = w.rows[:0]
	return err
}

func (w *days[T]) close() error {
	if w.out == nil {
		return nil
	}
	err := errors.Join(w.flush(), w.out.close())
	w.out = nil
	return err
}
