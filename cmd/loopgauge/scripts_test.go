package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The Makefile and the scripts are tried in folders of their own, with programs
// that stand in for those that take long.

// checkout copies files of the project into a folder whose name has a space.
func checkout(t *testing.T, names ...string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("they are for Debian")
	}
	dir := filepath.Join(t.TempDir(), "a b")
	for _, name := range names {
		script(t, filepath.Join(dir, name), read(t, filepath.Join(top, name)))
	}
	return dir
}

// script writes a file that can be run.
func script(t *testing.T, file, text string) {
	t.Helper()
	write(t, file, text)
	if err := os.Chmod(file, 0o700); err != nil {
		t.Fatal(err)
	}
}

// shell runs a line there. Programs in bin stand before those of the machine.
func shell(t *testing.T, dir, line string) (string, error) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "bash", "-c", line)
	c.Dir, c.Env = dir, append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	out, err := c.CombinedOutput()
	return string(out), err
}

// TestMakeBelowASpace: no recipe names the folder, of which a shell would make
// two words, and clean remove the first.
func TestMakeBelowASpace(t *testing.T) {
	dir := checkout(t, "Makefile")
	out, err := shell(t, dir, "make -n --no-print-directory build unit test lint fuzz torture bench clean")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(out) {
		if strings.Contains(line, dir) {
			t.Errorf("it would run %s", line)
		}
	}
}

// TestSetupAfterAnUpgradeOfPython: packages that the Python of today does not
// see are installed anew.
func TestSetupAfterAnUpgradeOfPython(t *testing.T) {
	dir := checkout(t, "scripts/setup.sh", "scripts/requirements.txt")
	script(t, filepath.Join(dir, "bin/python3"), `#!/bin/sh
[ "$1 $2" != "-m venv" ] || { mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; }
`)
	const line = "scripts/setup.sh python"
	if out, err := shell(t, dir, line); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := shell(t, dir, line); err != nil || out != "" {
		t.Errorf("there is nothing to do, and it says %q, %v", out, err)
	}
	script(t, filepath.Join(dir, ".cache/venv/bin/python"), `#!/bin/sh
case "$*" in *import*) exit 1 ;; esac
`)
	if out, err := shell(t, dir, line); err != nil || !strings.Contains(out, "installing Python packages") {
		t.Errorf("it says %q, %v", out, err)
	}
}

// TestSetupThatFails leaves nothing at work.
func TestSetupThatFails(t *testing.T) {
	dir := checkout(t, "scripts/setup.sh", "scripts/requirements.txt")
	script(t, filepath.Join(dir, "bin/python3"), `#!/bin/sh
case "$*" in
*"-m venv"*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
*"pip install"*) sleep 0.5 ;;
esac
`)
	// To a file: who reads a pipe waits for all that write to it.
	if _, err := shell(t, dir, "scripts/setup.sh python nonsense >said 2>&1"); err == nil {
		t.Error("it does not fail")
	}
	if _, err := os.Stat(filepath.Join(dir, ".cache/venv/requirements.txt")); err != nil {
		t.Errorf("pip was left behind: %v", err)
	}
}

// TestFuzzWhatDoesNotCompile: a package whose fuzz targets cannot be listed is
// not passed over.
func TestFuzzWhatDoesNotCompile(t *testing.T) {
	dir := checkout(t, "scripts/fuzz.sh")
	script(t, filepath.Join(dir, "bin/go"), `#!/bin/sh
case "$*" in
"list ./...") echo good bad ;;
*"-list ^Fuzz good") echo FuzzGood ;;
*"-list ^Fuzz bad") echo "FAIL bad [build failed]"; exit 1 ;;
esac
`)
	if out, err := shell(t, dir, "scripts/fuzz.sh 1x"); err == nil || !strings.Contains(out, "build failed") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestGrownLogIsWhole: a log of which only a part could be written, as on a disk
// that is full, is not taken for the whole by the next benchmark.
func TestGrownLogIsWhole(t *testing.T) {
	dir := checkout(t, "scripts/bench/prepare.sh")
	script(t, filepath.Join(dir, "bin/go"), `#!/bin/sh
printf '#!/bin/sh\necho half; exit 1\n' >"$3" && chmod +x "$3"
`)
	script(t, filepath.Join(dir, "scripts/bench/some.sh"), `set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"
log=$(grown)
`)
	if out, err := shell(t, dir, "bash scripts/bench/some.sh"); err == nil {
		t.Errorf("it goes on: %s", out)
	}
	if logs, _ := filepath.Glob(filepath.Join(dir, ".cache/bench/*.jsonl")); len(logs) > 0 {
		t.Errorf("it leaves %v", logs)
	}
}

// TestKafkaInterrupted: a broker that was not waited for does not run on.
func TestKafkaInterrupted(t *testing.T) {
	dir := checkout(t, "scripts/kafka.sh", "scripts/kafka/pom.xml")
	script(t, filepath.Join(dir, "scripts/setup.sh"), "#!/bin/sh\n")
	script(t, filepath.Join(dir, "bin/java"), `#!/bin/sh
case "$*" in *StorageTool*) exit ;; esac
while [ -d "$(dirname "$0")" ]; do sleep 0.1; done
`)
	const status = "scripts/kafka.sh status k"
	line := `bash scripts/kafka.sh start k >start 2>&1 & for i in {1..300}; do ` + status + ` >said && break; sleep 0.1; done; kill -TERM $!; wait $!; cat said`
	if out, _ := shell(t, dir, line); !strings.HasPrefix(out, "running") {
		t.Fatal(out)
	}
	if out, err := shell(t, dir, status); err == nil || out != "not running\n" {
		t.Errorf("%s, %v", out, err)
	}
}
