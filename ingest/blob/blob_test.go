package blob

import (
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
)

func TestNames(t *testing.T) {
	f := func(text, bucket, key, url string) {
		t.Helper()
		n, err := parse(text)
		if err != nil || n.bucket != bucket || n.key != key || n.url() != url {
			t.Errorf("%s: bucket %q, key %q, %s: %v", text, n.bucket, n.key, n.url(), err)
		}
	}
	f("gs://b", "b", "", "gs://b")
	f("gs://b/a/*?.log", "b", "a/*?.log", "gs://b")
	f("azblob://b/a %/#?storage_account=x", "b", "a %/#", "azblob://b?storage_account=x")
	f("s3://b/a?region=r&endpoint=http://h/p", "b", "a", "s3://b?region=r&endpoint=http://h/p&response_checksum_validation=when_required")
	f("s3://b/a", "b", "a", "s3://b?response_checksum_validation=when_required")
	for _, text := range []string{"s3:///a", "gs://", "s3://*/a"} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), "BUCKET/KEY") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"az://b/k", "S3://b/k", "Kafka://b/t"} {
		if err := Check(text); !Is(text) || err == nil || !strings.Contains(err.Error(), text+": no object store is named so") {
			t.Errorf("a store that is not read: %v", err)
		}
	}
	if Is("access.log") || Is("kafka://b/t") || Is("s3:/b") || Is("logs/a://b") || !Is("azblob://b") {
		t.Error("what is a name of an object store is told wrongly")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bucket is one in memory, with objects of these keys, each its own text.
func bucket(t *testing.T, keys ...string) *blob.Bucket {
	t.Helper()
	b := memblob.OpenBucket(nil)
	t.Cleanup(func() { _ = b.Close() })
	for _, key := range keys {
		must(t, b.WriteAll(t.Context(), key, []byte(key), nil))
	}
	return b
}

func keys(t *testing.T, b *blob.Bucket) (list []string) {
	t.Helper()
	for it := b.List(nil); ; {
		o, err := it.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return list
		}
		must(t, err)
		list = append(list, o.Key)
	}
}

var always = Times{fingerprint.NoTime, fingerprint.NoTime}

func TestFind(t *testing.T) {
	b := bucket(t, "a.log", "a.log.1", "day/1/x.json", "day/1/y.json", "day/2/x.json", "day/README.md", "day/.tmp/x", "days/z.json", "out/events/e.parquet")
	f := func(key, want string) {
		t.Helper()
		n := &name{scheme: "s3", bucket: "b", key: key}
		found, err := n.find(t.Context(), b, always)
		var names []string
		for _, s := range found.Sources {
			names = append(names, strings.TrimPrefix(s.Name, "s3://b/"))
		}
		got := strings.Join(names, " ")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	f("a.log", "a.log")
	f("a.lo", "a.log a.log.1")
	f("day", "day/1/x.json day/1/y.json day/2/x.json")
	f("day/", "day/1/x.json day/1/y.json day/2/x.json")
	f("day/1/x.json", "day/1/x.json")
	f("da", "day/1/x.json day/1/y.json day/2/x.json days/z.json")
	f("day*", "day/1/x.json day/1/y.json day/2/x.json days/z.json")
	f("day/*/x*", "day/1/x.json day/2/x.json")
	f("day/[12]", "day/1/x.json day/1/y.json day/2/x.json")
	f("*.log", "a.log")
	f("", "a.log a.log.1 day/1/x.json day/1/y.json day/2/x.json days/z.json")
	f("none", "s3://b/none: no logs under this name")
	f("day/[", "s3://b/day/[: syntax error in pattern")
	f("out", "s3://b/out: no logs under this name\na dataset is read by replay, tune and explain, and by its own name: that of the folder with its events/ and run/")
}

// TestObjectsAreRead: from any place on, and what breaks is named.
func TestObjectsAreRead(t *testing.T) {
	b := bucket(t, "a.log")
	n := &name{scheme: "gs", bucket: "b", key: "a.log"}
	o := &object{ctx: t.Context(), in: b, name: n, key: "a.log", size: 5, room: &room{}}
	for _, offset := range []int64{0, 2} {
		r, err := o.Open(offset)
		must(t, err)
		text, err := io.ReadAll(r)
		if err != nil || string(text) != "a.log"[offset:] {
			t.Errorf("from %d: %q, %v", offset, text, err)
		}
		r.Close()
	}
	must(t, b.Delete(t.Context(), "a.log"))
	o = &object{ctx: t.Context(), in: b, name: n, key: "a.log", size: 5, room: &room{}}
	_, err := o.Open(0)
	if failed, ok := errors.AsType[*ingest.Error](err); !ok || failed.Error() != "gs://b/a.log: no such object" {
		t.Errorf("gone: %v", err)
	}
}

func TestDates(t *testing.T) {
	at := func(text string) int64 {
		m, err := time.Parse("2006-01-02", text)
		must(t, err)
		return m.UnixMicro()
	}
	written, err := time.Parse(time.DateOnly, "2026-11-25")
	must(t, err)
	f := func(key, since, until string, want bool) {
		t.Helper()
		times := always
		if since != "" {
			times.Since = at(since)
		}
		if until != "" {
			times.Until = at(until)
		}
		if got := times.mayHold(&blob.ListObject{Key: key, ModTime: written}); got != want {
			t.Errorf("%s from %q to %q: %t", key, since, until, got)
		}
	}
	f("a.log", "", "", true)
	f("a.log", "2026-11-24", "", true)
	f("a.log", "2026-11-26", "", false) // was written before
	f("a.log", "", "2026-11-01", true)  // may be old
	for _, key := range []string{"x/2026-11-21/a", "2026/11/21/a", "x/date=2026-11-21/a", "x/year=2026/month=11/day=21/a"} {
		f(key, "2026-11-20", "2026-11-22", true)
		f(key, "2026-11-22", "", true) // it may have been written late, or west of here
		f(key, "2026-11-23", "", false)
		f(key, "", "2026-11-21", true)
		f(key, "", "2026-11-20", false)
	}
	f("x/2026-13-41/a", "2026-11-20", "", true) // is no date
	f("x/a-2026-11-21.log", "2026-11-23", "", true)
}

// TestPut: a dataset is whole or is not there.
func TestPut(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{"run/run.parquet", "events/date=2026-11-21/events.parquet", "sweep/sweep.parquet"} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, file), []byte(file), 0o600))
	}
	n := &name{scheme: "s3", bucket: "b", key: "to/here"}
	b := bucket(t)
	must(t, n.put(t.Context(), b, dir, "run"))
	if got, want := keys(t, b), []string{"to/here/events/date=2026-11-21/events.parquet", "to/here/run/run.parquet", "to/here/sweep/sweep.parquet"}; !slices.Equal(got, want) {
		t.Errorf("there are %q", got)
	}

	// The run comes last: when it cannot be read, all others are there, and go.
	must(t, os.Remove(filepath.Join(dir, "run/run.parquet")))
	must(t, os.Symlink("nowhere", filepath.Join(dir, "run/run.parquet")))
	b = bucket(t)
	if err := n.put(t.Context(), b, dir, "run"); err == nil {
		t.Error("a file is missing, and it went well")
	}
	if got := keys(t, b); len(got) > 0 {
		t.Errorf("what was put stays: %q", got)
	}
}

func TestErrors(t *testing.T) {
	f := func(scheme, key, text, want, hint string) {
		t.Helper()
		n := &name{scheme: scheme, bucket: "b"}
		err, ok := errors.AsType[*ingest.Error](n.explain(key, errors.New(text)))
		if !ok || err.Path != scheme+"://b/"+key || !strings.Contains(err.Err.Error(), want) || !strings.Contains(err.Hint, hint) {
			t.Errorf("%s: %v", text, err)
		}
	}
	f("s3", "", "api error AccessDenied: Access Denied", "access denied", "s3:ListBucket")
	f("s3", "k", "api error InvalidAccessKeyId", "does not accept these credentials", "AWS_PROFILE")
	f("s3", "", "failed to refresh cached credentials, no EC2 IMDS role found", "no credentials", "AWS_ACCESS_KEY_ID")
	f("s3", "", "Invalid Configuration: Missing Region", "no region", "AWS_REGION")
	f("gs", "", "google: could not find default credentials", "no credentials", "gcloud auth")
	f("gs", "k", "googleapi: Error 403: no", "access denied", "Storage Object Viewer")
	f("azblob", "", "AZURE_STORAGE_ACCOUNT is not set", "no credentials", "AZURE_STORAGE_ACCOUNT")
	f("azblob", "", "ERROR CODE: AuthorizationFailure\nThis request is not authorized to perform this operation", "access denied", "Storage Blob Data Reader")
	f("azblob", "", "ERROR CODE: AuthorizationFailure\nServer failed to authenticate the request", "does not accept these credentials", "AZURE_STORAGE_KEY")
	f("azblob", "", "failed azblob.NewSharedKeyCredential: decode account key: illegal base64 data", "does not accept these credentials", "AZURE_STORAGE_KEY")
	f("azblob", "", "dial tcp: lookup x: no such host", "cannot be reached", "storage_account")
	f("azblob", "k", "something else", "something else", "")
	f("s3", "", `open bucket s3://b?bogus=1&response_checksum_validation=when_required: unknown query parameter "bogus"`, "bogus is no setting of s3://", "region, endpoint")
	f("gs", "", `open bucket gs://b?bogus=1: invalid query parameter "bogus"`, "bogus is no setting of gs://", "anonymous")
	f("s3", "", "open bucket s3://b?anonymous=x&response_checksum_validation=when_required: invalid value", "open bucket s3://b?anonymous=x: invalid value", "")
	f("s3", "", "open bucket s3://b?response_checksum_validation=when_required: odd", "open bucket s3://b: odd", "")
	f("s3", "", `no EC2 IMDS role found, Get "http://169.254.169.254/latest": dial tcp 169.254.169.254:80: i/o timeout`, "no credentials", "AWS_PROFILE")
	f("s3", "", "StatusCode: 400, api error InvalidToken", "does not accept these credentials", "AWS_PROFILE")
	f("gs", "", `oauth2: "invalid_grant" "Token has been expired or revoked."`, "does not accept these credentials", "gcloud auth")
	f("s3", "", "StatusCode: 400, api error AuthorizationHeaderMalformed: expecting 'eu-central-1'", "in another one", "AWS_REGION")
	f("s3", "", "StatusCode: 403, api error RequestTimeTooSkewed", "clock", "set it")
	f("s3", "k", "StatusCode: 403, api error InvalidObjectState", "archived", "restore")
	f("s3", "k", "StatusCode: 503, api error SlowDown", "too busy", "later")
	n := &name{scheme: "azblob"}
	unsent := &url.Error{Op: "Get", URL: "https://store/logs?sig=secret", Err: errors.New("tls: unknown authority")}
	if said := n.explain("", unsent).Error(); strings.Contains(said, "secret") || !strings.Contains(said, "cannot be reached: tls: unknown authority") {
		t.Errorf("an address with a signature: %s", said)
	}
	if err := n.explain("", context.Canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
