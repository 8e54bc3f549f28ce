package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/loopgauge/loopgauge/ingest/blob"
	"github.com/loopgauge/loopgauge/sinks/parquet"
	"github.com/loopgauge/loopgauge/window"
)

// isStored tells whether a name in an object store is that of a dataset. What is
// wrong with the store is said when its logs are looked for.
func isStored(ctx context.Context, name string) bool {
	there, err := blob.Has(ctx, name, parquet.RunName)
	return there && err == nil
}

// openStored copies a dataset from an object store, and opens the copy: it is read
// column by column, again and again, which would be a request each. Close removes
// the copy.
func openStored(ctx context.Context, u *ui, name string) (*dataset, error) {
	dir, err := os.MkdirTemp("", "loopgauge-*")
	if err != nil {
		return nil, err
	}
	u.say("%s: is copied among temporary files first", blob.Object(name))
	if err = blob.Get(ctx, name, dir, parquet.IsRead); err == nil {
		var d *dataset
		if d, err = openDataset(dir, nil); err == nil {
			d.Dir, d.stored = blob.Object(name), true
			return d, nil
		}
		err = named(err, dir, blob.Object(name))
	}
	_ = os.RemoveAll(dir) // what cannot be removed stays among temporary files
	return nil, err
}

// named has an error speak of the files in the store, not of their copies in dir.
func named(err error, dir, name string) error {
	return errors.New(strings.ReplaceAll(err.Error(), dir, strings.TrimSuffix(name, "/")))
}

// next is the next event.
func (d *dataset) next(keep bool) (*window.Event, error) {
	ev, err := d.Next(keep)
	if d.stored && err != nil && !errors.Is(err, io.EOF) {
		err = named(err, d.dir, d.Dir)
	}
	return ev, err
}

// Close closes it, and removes what was copied.
func (d *dataset) Close() {
	d.Reader.Close()
	if d.stored {
		_ = os.RemoveAll(d.dir) // likewise
	}
}
