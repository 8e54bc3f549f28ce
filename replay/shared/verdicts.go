package shared

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// verdicts is the file of one process, to which its partitions add.
type verdicts struct {
	mu   sync.Mutex
	file *os.File
}

// openVerdicts opens a file to add to it. Half a line at its end, of a process
// that was killed, is cut off: it comes again.
func openVerdicts(path string) (*verdicts, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	length, err := wholeLines(f)
	if err == nil {
		err = f.Truncate(length)
	}
	if err == nil {
		_, err = f.Seek(length, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &verdicts{file: f}, nil
}

// wholeLines is how long the file is up to its last newline.
func wholeLines(f *os.File) (int64, error) {
	end, err := f.Seek(0, io.SeekEnd)
	buf := make([]byte, 64<<10)
	for err == nil && end > 0 {
		part := buf[:min(end, int64(len(buf)))]
		if _, err = f.ReadAt(part, end-int64(len(part))); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if k := bytes.LastIndexByte(part, '\n'); k >= 0 {
			return end - int64(len(part)-k-1), nil
		}
		end -= int64(len(part))
		err = nil
	}
	return 0, err
}

// add makes lines last.
func (v *verdicts) add(lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, err := v.file.Write(rawjson.Printable(lines)); err != nil {
		return err
	}
	return v.file.Sync()
}

func (v *verdicts) close() { _ = v.file.Close() } // each add has been synced
