package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/blob"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/sinks/parquet"
)

// toDataset writes the events of logs as a dataset. It is there when all of it is,
// and a second attempt that comes later changes nothing, so that whoever
// distributes the work may do any of it again.
func (f *extractFlags) toDataset(ctx context.Context, u *ui, args []string) error {
	p, err := f.load()
	if err != nil {
		return err
	}
	streams, failed, err := f.logs.open(ctx, u, args)
	if err := errors.Join(append(failed, err)...); err != nil {
		ingest.CloseAll(streams)
		return err
	}
	in := &input{streams: streams, zone: f.logs.timezone.String()}
	o, lateness, err := f.prepare(u, in, p, nil)
	if err != nil {
		return err
	}
	out, place := &outputs{}, f.out
	defer func() { out.abort() }()
	if !blob.Is(f.out) {
		if place, err = parquet.Staging(f.out); err != nil {
			return err
		}
		defer os.RemoveAll(place) //nolint:errcheck // once published it is not there
	}
	if err := out.create(ctx, place, o.Plan); err != nil {
		return err
	}
	o.Event = out.dataset.AddEvent

	bar := newProgress(u, in.parts())
	r, err := replay.Run(ctx, o)
	bar.stop()
	if err != nil {
		return err
	}
	for _, s := range r.Streams {
		if s.Err != nil {
			return fmt.Errorf("%w\nnothing was written", s.Err)
		}
	}
	if err := out.finish(ctx, ranOver(p, r, lateness, f.hashIDs, in.keyed(f.secret))); err != nil {
		return err
	}
	there := false
	if !blob.Is(f.out) {
		if there, err = parquet.Publish(place, f.out); err != nil {
			return err
		}
	}
	if there {
		u.say("%s: was there already, of the same logs", f.out)
	} else {
		u.say("%s: %d requests of %d lines", f.out, r.Account.Judged, r.Account.Lines)
	}
	if err := u.unread(r); err != nil { // a part of a log may be so
		u.say("%s", err)
	}
	return nil
}
