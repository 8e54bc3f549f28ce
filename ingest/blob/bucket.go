package blob

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"os"

	"cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // azblob://
	"gocloud.dev/blob/gcsblob"
	_ "gocloud.dev/blob/s3blob" // s3://
	"gocloud.dev/gcp"

	"github.com/loopgauge/loopgauge/ingest"
)

// open takes a name on the command line apart and opens its bucket.
func open(ctx context.Context, text string) (n name, b *blob.Bucket, err error) {
	if n, err = parse(text); err == nil {
		b, err = n.open(ctx)
	}
	return n, b, err
}

func (n *name) open(ctx context.Context) (*blob.Bucket, error) {
	open := blob.OpenBucket
	if n.scheme == gcsblob.Scheme {
		open = openGoogle
	}
	b, err := open(ctx, n.url())
	if err != nil {
		return nil, n.explain("", err)
	}
	return b, nil
}

// openGoogle does what the default opener does, which goes on without
// credentials and says so on standard output, among the data.
func openGoogle(ctx context.Context, text string) (*blob.Bucket, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	o := gcsblob.URLOpener{Client: gcp.NewAnonymousHTTPClient(gcp.DefaultTransport())}
	if u.Query().Get("anonymous") != "true" && os.Getenv("STORAGE_EMULATOR_HOST") == "" {
		who, err := gcp.DefaultCredentials(ctx)
		if err != nil {
			return nil, err
		}
		source := gcp.CredentialsTokenSource(who)
		o.TokenSource = source
		if o.Client, err = gcp.NewHTTPClient(gcp.DefaultTransport(), source); err != nil {
			return nil, err
		}
	}
	b, err := o.OpenBucketURL(ctx, u)
	if err != nil {
		return nil, err
	}
	var client *storage.Client
	if b.As(&client) {
		client.SetRetry(storage.WithMaxAttempts(attempts))
	}
	return b, nil
}

// attempts bounds what Google's library would else try for ever, saying nothing:
// with the pauses between them a store has about 15 s to come back. The other
// libraries have such bounds.
const attempts = 5

// asStored keeps Azure's library from unpacking what says to be gzip, which would be
// no part of an object from an offset on. To the other libraries it means nothing.
func asStored(ctx context.Context) context.Context {
	return policy.WithHTTPHeader(ctx, http.Header{"Accept-Encoding": {"identity"}})
}

// object implements ingest.Object. It is opened within the command that found
// it, and ends with it.
type object struct {
	ctx  context.Context //nolint:containedctx // as above
	in   *blob.Bucket
	name *name
	key  string
	size int64
	room *room // for what is kept
	kept kept
}

// Size implements ingest.Object.
func (o *object) Size() int64 { return o.size }

// Open implements ingest.Object.
func (o *object) Open(offset int64) (io.ReadCloser, error) {
	if err := o.ctx.Err(); err != nil { // the libraries take their time to say so of each
		return nil, err
	}
	if text := o.kept.of(o); text != nil {
		return io.NopCloser(bytes.NewReader(text[min(offset, int64(len(text))):])), nil
	}
	return o.stream(offset)
}

func (o *object) stream(offset int64) (io.ReadCloser, error) {
	r := &reader{of: o, at: offset}
	if err := r.open(); err != nil {
		return nil, err
	}
	return r, nil
}

var _ ingest.Object = (*object)(nil)
