package blob

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/url"
	"testing"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/driver"
	"gocloud.dev/gcerrors"
)

// cutOff is what libraries return of a connection that ends before an answer.
var cutOff = &url.Error{Op: "Get", URL: "http://store/b?sig=secret", Err: io.EOF}

// breaking is a store with one object, whose connections break.
type breaking struct {
	driver.Bucket
	text   []byte
	each   int       // bytes that a connection brings
	end    error     // of one that has not brought all
	silent bool      // its answers tell no length
	anew   time.Time // when the object was written, from the second connection on
	opened int
}

func (b *breaking) Close() error                       { return nil }
func (b *breaking) ErrorCode(error) gcerrors.ErrorCode { return gcerrors.Unknown }

func (b *breaking) ListPaged(_ context.Context, o *driver.ListOptions) (*driver.ListPage, error) {
	if o.PageToken != nil || o.Prefix == "out/run/" {
		return nil, cutOff
	}
	return &driver.ListPage{Objects: []*driver.ListObject{{Key: o.Prefix + "a.log", Size: 1}}, NextPageToken: []byte("more")}, nil
}

func (b *breaking) NewRangeReader(_ context.Context, _ string, offset, _ int64, _ *driver.ReaderOptions) (driver.Reader, error) {
	r := &breakingReader{of: b, text: b.text[offset:]}
	if len(r.text) > b.each {
		r.text, r.end = r.text[:b.each], b.end
	}
	r.attributes.Size = int64(len(b.text))
	if b.silent {
		r.attributes.Size = 0
	}
	if b.opened++; b.opened > 1 {
		r.attributes.ModTime = b.anew
	}
	return r, nil
}

type breakingReader struct {
	driver.Reader
	of         *breaking
	text       []byte
	end        error
	attributes driver.ReaderAttributes
}

func (r *breakingReader) Attributes() *driver.ReaderAttributes { return &r.attributes }
func (r *breakingReader) Close() error                         { return nil }

func (r *breakingReader) Read(p []byte) (int, error) {
	if len(r.text) == 0 {
		if r.end == nil {
			return 0, io.EOF
		}
		return 0, r.end
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}

// TestBrokenConnections: what has not come is asked for again, and what does not
// come is never taken for the end.
func TestBrokenConnections(t *testing.T) {
	f := func(what string, b *breaking, read int, want string) {
		t.Helper()
		b.text = bytes.Repeat([]byte("0123456789"), 10)
		in := blob.NewBucket(b)
		defer in.Close() //nolint:errcheck // nothing is written
		o := &object{ctx: t.Context(), in: in, name: &name{scheme: "s3", bucket: "b"}, key: "k", size: int64(len(b.text))}
		r, err := o.stream(10)
		must(t, err)
		defer r.Close()
		text, err := io.ReadAll(r)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if !bytes.Equal(text, b.text[10:10+read]) || said != want {
			t.Errorf("%s: %d bytes, %q, want %d, %q", what, len(text), said, read, want)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: passes for the end: %v", what, err)
		}
	}
	const broke = "s3://b/k: the store broke the connection off\nrun it again"
	f("cut", &breaking{each: 40, end: io.ErrUnexpectedEOF}, 90, "")
	f("cut without a word", &breaking{each: 40, silent: true}, 90, "")
	f("cut again and again", &breaking{end: io.ErrUnexpectedEOF}, 0, broke)
	f("closed", &breaking{end: cutOff}, 0, broke)
	f("written anew", &breaking{each: 40, end: io.ErrUnexpectedEOF, anew: time.Unix(1, 0)}, 40,
		"s3://b/k: the object was written anew while it was read\nwhat came of it before is read: run it again")
}

// TestBrokenListings: one that breaks off is no end of it.
func TestBrokenListings(t *testing.T) {
	b := blob.NewBucket(&breaking{})
	defer b.Close() //nolint:errcheck // nothing is written
	n := &name{scheme: "s3", bucket: "b", key: "logs/"}
	if found, err := n.find(t.Context(), b, always); err == nil {
		t.Errorf("%d objects are all", len(found.Sources))
	}
	n.key = "out"
	if there, err := n.holds(t.Context(), b, []string{"run"}); err == nil {
		t.Errorf("there is a run: %t", there)
	}
}

// TestInterrupted: nothing is asked any more, of none of a hundred thousand objects.
func TestInterrupted(t *testing.T) {
	store := &breaking{}
	in := blob.NewBucket(store)
	defer in.Close() //nolint:errcheck // nothing is written
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := &object{ctx: ctx, in: in, name: &name{scheme: "s3", bucket: "b"}, key: "k"}
	if _, err := o.Open(0); !errors.Is(err, context.Canceled) || store.opened > 0 {
		t.Errorf("%v, asked %d times", err, store.opened)
	}
}
