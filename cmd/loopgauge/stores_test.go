package main

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"

	"github.com/loopgauge/loopgauge/replay"
)

// store starts an object store of scripts/setup.sh, and waits until it takes
// connections.
func store(t *testing.T, program, port string, args ...string) {
	t.Helper()
	path := filepath.Join(top, ".cache/bin", program)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("there is no %s: run scripts/setup.sh stores, or go test -short", program)
	}
	ps := &processes{t: t}
	p := ps.run(exec.Command(path, args...))
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		p.runs()
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			_ = c.Close()
			return
		}
		if time.Now().After(deadline) {
			ps.fatalf("%s is not up: %v", program, err)
		}
	}
}

// fails runs loopgauge, which must fail, and returns what it says.
func fails(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), newUI(nil, &out, &errs), args); code == exitDone {
		t.Errorf("loopgauge %s: went well", strings.Join(args, " "))
	}
	return errs.String()
}

// stored makes a folder of logs as gateways leave them in object stores: plain,
// gzip and zstd, in a folder a day.
func stored(t *testing.T, dir string) {
	t.Helper()
	for _, day := range []string{"2026-11-20", "2026-11-21"} {
		if err := os.MkdirAll(filepath.Join(dir, "litellm", day), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, "litellm", name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(fixtures, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(read("formats/nginx-json/nginx_json.log")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write("2026-11-20/old.json", read("formats/litellm/generic_api.json_array.log"))
	write("2026-11-21/calls.jsonl", read("formats/litellm/litellm_callback.jsonl.zst"))
	write("2026-11-21/front.log", packed.Bytes())
	write("README.md", []byte("beside logs"))
}

// judged is what replay says of logs, without what names them.
func judged(t *testing.T, args ...string) replay.Document {
	t.Helper()
	var d replay.Document
	unmarshal(t, loopgauge(t, "", append([]string{"replay", "--json"}, args...)...), &d)
	for i := range d.Data.Streams {
		d.Data.Streams[i].Name = filepath.Base(d.Data.Streams[i].Name)
	}
	return d
}

// TestS3: logs in a store of Amazon's kind are read as files are, and a dataset
// is put there.
func TestS3(t *testing.T) {
	if testing.Short() {
		t.Skip("starts VersityGW")
	}
	dir, port := t.TempDir(), freePort(t)
	logs := filepath.Join(dir, "logs")
	stored(t, logs)
	if err := os.Mkdir(filepath.Join(dir, "out"), 0o700); err != nil {
		t.Fatal(err)
	}
	users := t.TempDir()
	key, secret := "loops", "not-a-secret"
	store(t, "versitygw", port, "--port", "127.0.0.1:"+port, "--access", key, "--secret", secret, "--iam-dir", users, "posix", "--sidecar", t.TempDir(), dir)
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret, "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": "http://127.0.0.1:" + port,
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull, "NO_PROXY": "127.0.0.1",
	} {
		t.Setenv(name, value)
	}

	want := judged(t, filepath.Join(logs, "litellm"))
	if want.Data.Judged < 100 || len(want.Episodes) == 0 || len(want.Data.Streams) != 3 {
		t.Fatalf("%d requests, %d loops, %d logs: the test shows nothing", want.Data.Judged, len(want.Episodes), len(want.Data.Streams))
	}
	for _, name := range []string{"s3://logs", "s3://logs/", "s3://logs/litellm", "s3://logs/lite*/2026-11-2*", "s3://logs/litellm/?region=us-east-1"} {
		if diff := cmp.Diff(want, judged(t, name)); diff != "" {
			t.Errorf("%s is read otherwise than the files:\n%s", name, diff)
		}
	}
	if d := judged(t, "--until", "2026-11-20T12:00:00Z", "--since", "2026-11-10", "s3://logs/litellm/"); len(d.Data.Streams) != 3 {
		t.Errorf("a day's slack: %d logs", len(d.Data.Streams))
	}
	if d := judged(t, "--until", "2026-11-20", "--since", "2026-11-10", "s3://logs/litellm/"); len(d.Data.Streams) != 1 {
		t.Errorf("before November 20: %d logs", len(d.Data.Streams))
	}
	calls := "s3://logs/litellm/2026-11-21/calls.jsonl"
	if d := tuneJSON(t, calls); d.Policy == nil {
		t.Error("tune advises nothing")
	}
	if out := loopgauge(t, "", "formats", calls); !strings.HasPrefix(out, calls+": litellm\n") {
		t.Errorf("formats: %s", out)
	}
	if out := loopgauge(t, "", "explain", "--json", calls+":5"); !strings.Contains(out, calls) {
		t.Errorf("explain: %s", out)
	}
	if out := loopgauge(t, "", "explain", want.Episodes[0].ID, "s3://logs"); !strings.Contains(out, want.Episodes[0].ID) {
		t.Errorf("explain of an episode: %s", out)
	}

	// What is put there is the dataset, whole.
	loopgauge(t, "", "replay", "--quiet", "--out", "s3://out/loops/1", "s3://logs/litellm")
	var there []string
	err := filepath.WalkDir(filepath.Join(dir, "out/loops"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			there = append(there, filepath.Base(path))
		}
		return err
	})
	if err != nil || !slices.Equal(there, []string{"episodes-0000.parquet", "events.parquet", "run.parquet", "verdicts.parquet"}) {
		t.Errorf("the dataset is %q: %v", there, err)
	}
	if d := judged(t, filepath.Join(dir, "out/loops/1")); !cmp.Equal(d.Episodes, want.Episodes) {
		t.Errorf("the dataset has other episodes: %s", cmp.Diff(want.Episodes, d.Episodes))
	}
	says := func(got, want string) {
		t.Helper()
		if !strings.Contains(got, want) {
			t.Errorf("says %q, want %q", got, want)
		}
	}
	says(fails(t, "replay", "--out", "s3://out/loops/1", calls), "s3://out/loops/1: holds a run already")
	says(fails(t, "replay", "--out", "s3://nowhere/loops", calls), "s3://nowhere/: no such bucket\n")
	says(fails(t, "replay", "s3://out/loops"), "copy it from the store first")
	says(fails(t, "watch", "--state", t.TempDir(), "s3://logs"), "cannot be watched")

	says(fails(t, "replay", "s3://nowhere/x"), "s3://nowhere/: no such bucket\nits region is AWS_REGION")
	says(fails(t, "replay", "s3://logs/none"), "s3://logs/none: no logs under this name")
	says(fails(t, "replay", "s3://logs/litellm?endpoint=http://127.0.0.1:"+freePort(t)), "s3://logs/: the store cannot be reached: dial tcp")
	with := func(changes map[string]string, want string) {
		t.Helper()
		for name, value := range changes {
			t.Setenv(name, value)
		}
		says(fails(t, "replay", "s3://logs/litellm"), want)
	}
	admin := exec.CommandContext(t.Context(), filepath.Join(top, ".cache/bin/versitygw"), "admin", "--access", key, "--secret", secret,
		"--endpoint-url", "http://127.0.0.1:"+port, "create-user", "--access", "guest", "--secret", "guest-secret", "--role", "user")
	if out, err := admin.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	with(map[string]string{"AWS_ACCESS_KEY_ID": "guest", "AWS_SECRET_ACCESS_KEY": "guest-secret"}, "s3://logs/: access denied\nit takes s3:ListBucket")
	with(map[string]string{"AWS_SECRET_ACCESS_KEY": "wrong"}, "s3://logs/: the store does not accept these credentials\nset AWS_ACCESS_KEY_ID")
	with(map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "s3://logs/: no credentials\nset AWS_ACCESS_KEY_ID")
	with(map[string]string{"AWS_REGION": ""}, "s3://logs/: the bucket is in no region")

	// Nothing of this matters to who names no store.
	t.Setenv("AWS_PROFILE", "no-such-profile")
	if diff := cmp.Diff(want, judged(t, filepath.Join(logs, "litellm"))); diff != "" {
		t.Error(diff)
	}
}

// TestGoogleStorage is the same code on another store.
func TestGoogleStorage(t *testing.T) {
	if testing.Short() {
		t.Skip("starts fake-gcs-server")
	}
	dir, port := t.TempDir(), freePort(t)
	stored(t, filepath.Join(dir, "logs"))
	store(t, "fake-gcs-server", port, "-scheme", "http", "-host", "127.0.0.1", "-port", port, "-public-host", "127.0.0.1:"+port, "-backend", "memory", "-data", dir)
	t.Setenv("STORAGE_EMULATOR_HOST", "127.0.0.1:"+port)
	t.Setenv("NO_PROXY", "127.0.0.1")
	want := judged(t, filepath.Join(dir, "logs/litellm"))
	if diff := cmp.Diff(want, judged(t, "gs://logs/litellm")); diff != "" {
		t.Errorf("it is read otherwise than the files:\n%s", diff)
	}
	loopgauge(t, "", "replay", "--quiet", "--out", "gs://logs/loops", "gs://logs/litellm")
	if got := fails(t, "replay", "--out", "gs://logs/loops", "gs://logs/litellm"); !strings.Contains(got, "gs://logs/loops: holds a run already") {
		t.Error(got)
	}
	if got := fails(t, "replay", "gs://nowhere/x"); !strings.Contains(got, "gs://nowhere/: no such bucket") {
		t.Error(got)
	}
}
