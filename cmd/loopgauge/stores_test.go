package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	azureblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/sas"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	gocloud "gocloud.dev/blob"

	"github.com/loopgauge/loopgauge/ingest/blob"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/tune"
	"github.com/loopgauge/loopgauge/sinks/parquet"
	"github.com/loopgauge/loopgauge/window"
)

// objectStore is one of scripts/setup.sh. start serves two buckets, logs with
// the files below dir/logs and out, and sets the variables with which they are
// found.
type objectStore struct {
	scheme string
	start  func(t *testing.T, port, dir string)
	at     string                          // the setting that names the server, which gs has not
	more   func(t *testing.T, port string) // what only this store has
}

var objectStores = []objectStore{
	{"s3", startVersityGW, "use_path_style=true&endpoint=http://127.0.0.1:", checkS3},
	{"gs", startFakeGCS, "", checkGCS},
	{"azblob", startAzurite, "domain=127.0.0.1:", checkAzure},
}

// serve starts a server, and waits until it takes connections.
func serve(t *testing.T, port string, c *exec.Cmd) {
	t.Helper()
	ps := &processes{t: t}
	p := ps.run(c)
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		p.runs()
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			_ = c.Close()
			return
		}
		if time.Now().After(deadline) {
			ps.fatalf("%s is not up: %v", p.Path, err)
		}
	}
}

// cached is a file that scripts/setup.sh has made.
func cached(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(top, ".cache", name))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("%v: run scripts/setup.sh stores, or go test -short", err)
	}
	return path
}

func setenv(t *testing.T, variables map[string]string) {
	t.Helper()
	for name, value := range variables {
		t.Setenv(name, value)
	}
}

const s3Key, s3Secret = "loops", "not-a-secret"

func startVersityGW(t *testing.T, port, dir string) {
	t.Helper()
	serve(t, port, exec.Command(cached(t, "bin/versitygw"), "--port", "127.0.0.1:"+port, "--access", s3Key, "--secret", s3Secret, "--iam-dir", t.TempDir(), "posix", "--sidecar", t.TempDir(), dir))
	setenv(t, map[string]string{
		"AWS_ACCESS_KEY_ID": s3Key, "AWS_SECRET_ACCESS_KEY": s3Secret, "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": "http://127.0.0.1:" + port,
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
	})
}

func startFakeGCS(t *testing.T, port, dir string) {
	t.Helper()
	serve(t, port, exec.Command(cached(t, "bin/fake-gcs-server"), "-scheme", "http", "-host", "127.0.0.1", "-port", port, "-public-host", "127.0.0.1:"+port, "-backend", "memory", "-data", dir))
	t.Setenv("STORAGE_EMULATOR_HOST", "127.0.0.1:"+port)
}

// Of Azurite: both are in its documentation, and in everybody's tests.
const (
	azureAccount = "devstoreaccount1"
	azureKey     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

func startAzurite(t *testing.T, port, dir string) {
	t.Helper()
	server := exec.Command("node", cached(t, "azurite/node_modules/azurite/dist/src/blob/main.js"), "--blobHost", "127.0.0.1", "--blobPort", port, "--inMemoryPersistence", "--skipApiVersionCheck", "--silent")
	server.Dir = t.TempDir()
	serve(t, port, server)
	setenv(t, map[string]string{
		"AZURE_STORAGE_ACCOUNT": azureAccount, "AZURE_STORAGE_KEY": azureKey, "AZURE_STORAGE_DOMAIN": "127.0.0.1:" + port, "AZURE_STORAGE_PROTOCOL": "http",
		"AZURE_STORAGE_SAS_TOKEN": "", "AZURE_STORAGE_CONNECTION_STRING": "", "AZURE_STORAGEBLOB_CONNECTIONSTRING": "", "AZURE_STORAGE_IS_CDN": "", "AZURE_STORAGE_IS_LOCAL_EMULATOR": "",
	})
	service := azurite(t, port)
	for _, name := range []string{"logs", "out"} {
		if _, err := service.CreateContainer(t.Context(), name, nil); err != nil {
			t.Fatal(err)
		}
	}
	// Azure's library reads its variables once a process, but for the settings.
	if err := blob.Put(t.Context(), "azblob://logs?domain=127.0.0.1:"+port, filepath.Join(dir, "logs"), ""); err != nil {
		t.Fatal(err)
	}
}

// azurite is its owner's way to it.
func azurite(t *testing.T, port string) *azblob.Client {
	t.Helper()
	key, err := azblob.NewSharedKeyCredential(azureAccount, azureKey)
	if err != nil {
		t.Fatal(err)
	}
	service, err := azblob.NewClientWithSharedKeyCredential("http://127.0.0.1:"+port+"/"+azureAccount, key, nil)
	if err != nil {
		t.Fatal(err)
	}
	return service
}

// anew runs loopgauge as a process of its own, whose libraries read what the
// variables are now.
func anew(t *testing.T, args ...string) (out, errs string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(t.Context(), "loopgauge", args...) // see TestMain
	c.Stdout, c.Stderr = &stdout, &stderr
	err = c.Run()
	return stdout.String(), stderr.String(), err
}

// does runs loopgauge, which must go well.
func does(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, err := anew(t, args...)
	if err != nil {
		t.Fatalf("loopgauge %s: %v\n%s", strings.Join(args, " "), err, errs)
	}
	return out
}

// fails runs loopgauge, which must fail and say why.
func fails(t *testing.T, want string, args ...string) {
	t.Helper()
	_, errs, err := anew(t, args...)
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != exitFailed && exit.ExitCode() != exitUsage {
		t.Errorf("loopgauge %s: %v", strings.Join(args, " "), err)
	}
	if !strings.Contains(errs, want) {
		t.Errorf("loopgauge %s: says %q, want %q", strings.Join(args, " "), errs, want)
	}
}

// stored makes a folder of logs as gateways leave them in object stores: plain,
// gzip and zstd, in a folder a day.
func stored(t *testing.T, dir string) {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.WriteString(z, read(t, filepath.Join(fixtures, "formats/nginx-json/nginx_json.log"))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	to, from := filepath.Join(dir, "litellm"), filepath.Join(fixtures, "formats/litellm")
	write(t, filepath.Join(to, "2026-11-20/old.json"), read(t, filepath.Join(from, "generic_api.json_array.log")))
	write(t, filepath.Join(to, "2026-11-21/calls.jsonl"), read(t, filepath.Join(from, "litellm_callback.jsonl.zst")))
	write(t, filepath.Join(to, "2026-11-21/front.log"), packed.Bytes())
	write(t, filepath.Join(to, "README.md"), "beside logs")
}

// judged is what replay says of logs, without what names them.
func judged(t *testing.T, args ...string) replay.Document {
	t.Helper()
	d := documentOf[replay.Document](t, append([]string{"replay"}, args...)...)
	for i := range d.Data.Streams {
		d.Data.Streams[i].Name = filepath.Base(d.Data.Streams[i].Name)
	}
	return d
}

func documentOf[D any](t *testing.T, args ...string) (d D) {
	t.Helper()
	unmarshal(t, does(t, append(args, "--json")...), &d)
	return d
}

// TestObjectStores: logs in each kind of store are read as files are, and
// datasets are put there.
func TestObjectStores(t *testing.T) {
	if testing.Short() {
		t.Skip("starts VersityGW, fake-gcs-server and Azurite")
	}
	for _, s := range objectStores {
		t.Run(s.scheme, func(t *testing.T) {
			dir, port := t.TempDir(), freePort(t)
			stored(t, filepath.Join(dir, "logs"))
			if err := os.Mkdir(filepath.Join(dir, "out"), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("NO_PROXY", "127.0.0.1")
			want := judged(t, filepath.Join(dir, "logs/litellm"))
			if want.Data.Judged < 100 || len(want.Episodes) == 0 || len(want.Data.Streams) != 3 {
				t.Fatalf("%d requests, %d loops, %d logs: the test shows nothing", want.Data.Judged, len(want.Episodes), len(want.Data.Streams))
			}
			s.start(t, port, dir)
			s.reads(t, port, want)
			s.writes(t, port, want)
			s.refuses(t)
			s.more(t, port)
		})
	}
}

// name names a place in the store.
func (s objectStore) name(key string) string { return s.scheme + "://" + key }

// named names it with its server.
func (s objectStore) named(key, port string) string {
	if s.at == "" {
		return s.name(key)
	}
	return s.name(key) + "?" + s.at + port
}

// reads: what each command says of objects is what it says of files.
func (s objectStore) reads(t *testing.T, port string, want replay.Document) {
	t.Helper()
	for _, name := range []string{
		s.name("logs"), s.name("logs/"), s.name("logs/litellm"), s.name("logs/litellm/2026-11"), s.name("logs/lite*/2026-11-2*"), s.named("logs/litellm/", port),
	} {
		if diff := cmp.Diff(want, judged(t, name)); diff != "" {
			t.Errorf("%s is read otherwise than the files:\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(want, judged(t, s.name("logs/litellm/2026-11-20"), s.name("logs"))); diff != "" {
		t.Errorf("what is named twice is not read once:\n%s", diff)
	}
	if d := judged(t, "--until", "2026-11-20T12:00:00Z", "--since", "2026-11-10", s.name("logs/litellm/")); len(d.Data.Streams) != 3 {
		t.Errorf("a day's slack: %d logs", len(d.Data.Streams))
	}
	if d := judged(t, "--until", "2026-11-20", "--since", "2026-11-10", s.name("logs/litellm/")); len(d.Data.Streams) != 1 {
		t.Errorf("before November 20: %d logs", len(d.Data.Streams))
	}
	calls := s.name("logs/litellm/2026-11-21/calls.jsonl")
	if d := documentOf[tune.Document](t, "tune", calls); d.Policy == nil {
		t.Error("tune advises nothing")
	}
	if out := does(t, "formats", calls); !strings.HasPrefix(out, calls+": litellm\n") {
		t.Errorf("formats: %s", out)
	}
	if out := does(t, "formats", "--scaffold", calls); !strings.Contains(out, "time:") {
		t.Errorf("formats --scaffold: %s", out)
	}
	id := want.Episodes[0].ID
	for _, args := range [][]string{
		{"explain", "--json", calls + ":5"},
		{"explain", "--json", calls + ":5", s.name("logs/")},
		{"explain", "--identity", "tool-call", calls},
	} {
		if out := does(t, args...); !strings.Contains(out, `"log": "`+calls) && !strings.Contains(out, `"fingerprint":"`) {
			t.Errorf("%s: %.1000s", strings.Join(args, " "), out)
		}
	}
	if out := does(t, "explain", id, s.name("logs")); !strings.Contains(out, id) {
		t.Errorf("explain of an episode: %s", out)
	}
	if out := does(t, "explain", "--skipped", s.name("logs")); out != "" {
		t.Errorf("explain --skipped: %s", out)
	}
	fixture := filepath.Join(t.TempDir(), "stored.test.yaml")
	text := "log: ['" + s.name("logs/litellm") + "']\nlimits: {episodes: 1000}\nmust_fire: [{rule: last-messages}]\n"
	write(t, fixture, text)
	if out := does(t, "test", fixture); !strings.HasSuffix(out, "1 fixture: 1 ok\n") {
		t.Errorf("test: %s", out)
	}
}

// writes: a dataset is put there whole, and no other takes its place.
func (s objectStore) writes(t *testing.T, port string, want replay.Document) {
	t.Helper()
	f := func(to string, args ...string) {
		t.Helper()
		does(t, append(args, "--quiet", "--out", to, s.name("logs/litellm"))...)
		copied := t.TempDir()
		s.copy(t, port, to, copied)
		if d := judged(t, copied); !cmp.Equal(d.Episodes, want.Episodes) {
			t.Errorf("%s: the dataset has other episodes: %s", args[0], cmp.Diff(want.Episodes, d.Episodes))
		}
		if d := judged(t, to+"/"); !cmp.Equal(d.Episodes, want.Episodes) {
			t.Errorf("%s: the dataset in the store has other episodes: %s", args[0], cmp.Diff(want.Episodes, d.Episodes))
		}
		fails(t, to+": holds a run already", append(args, "--out", to, s.name("logs/litellm"))...)
	}
	f(s.name("out/loops/1"), "replay")
	f(s.name("out/tuned"), "tune")
	var late outputs
	defer func() { late.abort() }()
	if err := late.create(t.Context(), s.named("out/extracted", port), window.NewPlan(nil, nil)); err != nil {
		t.Fatal(err)
	}
	f(s.name("out/extracted"), "extract")
	if err := late.finish(t.Context(), parquet.Run{}); err == nil || !strings.Contains(err.Error(), "out/extracted: holds a run already") {
		t.Errorf("a run that ends after another one: %v", err)
	}
	fails(t, s.name("nowhere/")+": no such bucket\n", "replay", "--out", s.name("nowhere/loops"), s.name("logs"))
	fails(t, "by its own name", "replay", s.name("out/loops"))
}

// copy copies a dataset from the store, as its owner's tools do.
func (s objectStore) copy(t *testing.T, port, from, to string) {
	t.Helper()
	bucket, key, _ := strings.Cut(strings.TrimPrefix(from, s.name("")), "/")
	b, err := gocloud.OpenBucket(t.Context(), s.named(bucket, port))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close() //nolint:errcheck // nothing is written
	for list := b.List(&gocloud.ListOptions{Prefix: key + "/"}); ; {
		o, err := list.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := b.ReadAll(t.Context(), o.Key)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(to, filepath.FromSlash(strings.TrimPrefix(o.Key, key)))
		write(t, file, text)
	}
}

// refuses: what cannot be is said, with a way out.
func (s objectStore) refuses(t *testing.T) {
	t.Helper()
	logs := s.name("logs/litellm")
	fails(t, s.name("nowhere/")+": no such bucket\n", "replay", s.name("nowhere/x"))
	fails(t, s.name("logs/none")+": no logs under this name", "replay", s.name("logs/none"))
	fails(t, logs+" cannot be watched: an object store does not tell what is added to it\nwatch the log where", "watch", "--state", t.TempDir(), logs)
	fails(t, logs+" cannot be watched", "watch", logs)
	fails(t, "--state: no state can be kept in "+s.name("out/s")+": name a directory", "watch", "--state", s.name("out/s"), t.TempDir())
	fails(t, "--out: no dataset can grow in "+s.name("out/x"), "watch", "--state", t.TempDir(), "--out", s.name("out/x"), t.TempDir())
	fails(t, "--verdicts: "+s.name("out/v")+" is no file: only --out writes into an object store", "replay", "--verdicts", s.name("out/v"), logs)
	fails(t, "--html: "+s.name("out/r")+" is no file", "tune", "--html", s.name("out/r"), logs)
	fails(t, logs+":LINE for a line of this log", "explain", logs)
}

func checkGCS(t *testing.T, _ string) {
	t.Helper()
	t.Setenv("STORAGE_EMULATOR_HOST", "127.0.0.1:"+freePort(t))
	fails(t, "gs://logs/: the store cannot be reached: dial tcp", "replay", "gs://logs")
}

// checkS3: what Amazon's library says of credentials is told in the user's words.
func checkS3(t *testing.T, port string) {
	t.Helper()
	f := func(variables map[string]string, want string) {
		t.Helper()
		setenv(t, variables)
		fails(t, want, "replay", "s3://logs/litellm")
	}
	fails(t, "s3://logs/: the store cannot be reached: dial tcp", "replay", "s3://logs/litellm?use_path_style=true&endpoint=http://127.0.0.1:"+freePort(t))
	admin := exec.CommandContext(t.Context(), cached(t, "bin/versitygw"), "admin", "--access", s3Key, "--secret", s3Secret,
		"--endpoint-url", "http://127.0.0.1:"+port, "create-user", "--access", "guest", "--secret", "guest-secret", "--role", "user")
	if out, err := admin.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f(map[string]string{"AWS_ACCESS_KEY_ID": "guest", "AWS_SECRET_ACCESS_KEY": "guest-secret"}, "s3://logs/: access denied\nit takes s3:ListBucket")
	f(map[string]string{"AWS_SECRET_ACCESS_KEY": "wrong"}, "s3://logs/: the store does not accept these credentials\nset AWS_ACCESS_KEY_ID")
	f(map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "s3://logs/: no credentials\nset AWS_ACCESS_KEY_ID")
	f(map[string]string{"AWS_REGION": ""}, "s3://logs/: the bucket is in no region")

	// Nothing of this matters to who names no store.
	t.Setenv("AWS_PROFILE", "no-such-profile")
	does(t, "replay", filepath.Join(fixtures, "formats/litellm/litellm_callback.jsonl.zst"))
}

// checkAzure: a key, a connection string and a shared access signature open the
// store, and what Azure's library says of others is told in the user's words.
func checkAzure(t *testing.T, port string) {
	t.Helper()
	const logs = "azblob://logs/litellm"
	fails(t, "azblob://logs/: the store cannot be reached: dial tcp", "replay", logs+"?domain=127.0.0.1:"+freePort(t))
	service := azurite(t, port)
	checkEncoded(t, service)
	rights := sas.AccountPermissions{Read: true, List: true}
	signed, err := service.ServiceClient().GetSASURL(sas.AccountResourceTypes{Container: true, Object: true}, rights, time.Now().Add(24*time.Hour), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(signed, "?")
	connection := "DefaultEndpointsProtocol=http;AccountName=" + azureAccount + ";AccountKey=" + azureKey + ";BlobEndpoint=http://127.0.0.1:" + port + "/" + azureAccount
	without := map[string]string{"AZURE_STORAGE_ACCOUNT": "", "AZURE_STORAGE_KEY": "", "AZURE_STORAGE_DOMAIN": "", "AZURE_STORAGE_PROTOCOL": ""}

	t.Setenv("AZURE_STORAGE_KEY", "")
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", token)
	does(t, "replay", logs)
	fails(t, ": access denied\nit takes the role Storage Blob Data Reader", "replay", "--out", "azblob://out/signed", logs)
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", strings.Replace(token, "sig=", "sig=x", 1))
	fails(t, "azblob://logs/: the store does not accept these credentials\nset AZURE_STORAGE_ACCOUNT", "replay", logs)
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", "")

	t.Setenv("AZURE_STORAGE_KEY", "d3Jvbmc=")
	fails(t, "azblob://logs/: the store does not accept these credentials\nset AZURE_STORAGE_ACCOUNT", "replay", logs)
	t.Setenv("AZURE_STORAGE_KEY", "wrong")
	fails(t, "azblob://logs/: the store does not accept these credentials\nset AZURE_STORAGE_ACCOUNT", "replay", logs)

	setenv(t, without)
	fails(t, "azblob://logs/: no credentials\nset AZURE_STORAGE_ACCOUNT", "replay", logs)
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING", connection)
	does(t, "replay", logs)
}

// checkEncoded: an object that says to be gzip is read as it lies in the store, where
// this one is longer than its text.
func checkEncoded(t *testing.T, service *azblob.Client) {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(`{"time":"2026-11-21T10:00:00Z","id":"r7"}`)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	encoding := "gzip"
	o := azblob.UploadBufferOptions{HTTPHeaders: &azureblob.HTTPHeaders{BlobContentEncoding: &encoding}}
	if _, err := service.UploadBuffer(t.Context(), "logs", "encoded/a.log.gz", packed.Bytes(), &o); err != nil {
		t.Fatal(err)
	}
	if d := judged(t, "azblob://logs/encoded/"); d.Data.Judged != 1 {
		t.Errorf("encoded as gzip: %d requests", d.Data.Judged)
	}
}
