package blob

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gocloud.dev/blob"
	"gocloud.dev/blob/driver"
	"gocloud.dev/gcerrors"
)

// losing is a store whose answer to the object of a run is lost.
type losing struct {
	driver.Bucket
	there map[string]bool
	keeps bool // deletes nothing
}

func (b *losing) Close() error                       { return nil }
func (b *losing) ErrorCode(error) gcerrors.ErrorCode { return gcerrors.Unknown }

func (b *losing) NewTypedWriter(_ context.Context, key, _ string, _ *driver.WriterOptions) (driver.Writer, error) {
	return &losingWriter{b, key}, nil
}

func (b *losing) Delete(_ context.Context, key string, _ *driver.DeleteOptions) error {
	if b.keeps {
		return cutOff
	}
	delete(b.there, key)
	return nil
}

type losingWriter struct {
	of  *losing
	key string
}

func (w *losingWriter) Write(p []byte) (int, error) { return len(p), nil }

func (w *losingWriter) Close() error {
	w.of.there[w.key] = true
	if strings.Contains(w.key, "run/") {
		return cutOff
	}
	return nil
}

// TestLostAnswers: a run that may be there goes with the rest, or it would stand for
// a dataset that is none. What cannot be taken away is said.
func TestLostAnswers(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"events", "run"} {
		must(t, os.Mkdir(filepath.Join(dir, folder), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, folder, "x.parquet"), []byte("x"), 0o600))
	}
	store := &losing{there: map[string]bool{}}
	b := blob.NewBucket(store)
	defer b.Close() //nolint:errcheck // each object has been closed
	n := &name{scheme: "s3", bucket: "b", key: "to"}
	err := n.put(t.Context(), b, dir, "run")
	if err == nil || len(store.there) > 0 {
		t.Errorf("%v: %v is there", err, store.there)
	}
	store.keeps = true
	if err := n.put(t.Context(), b, dir, "run"); err == nil || !strings.Contains(err.Error(), "\n2 objects of it may be left under s3://b/to: remove them") {
		t.Error(err)
	}
}
