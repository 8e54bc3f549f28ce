package parquet

import (
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// No room is made for what a footer speaks of and the file does not have, also
// where a day is compacted.
func TestFooterOfMore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.parquet")
	must(t, parquet.WriteFile(path, []eventRow{{Identity: "a"}}))
	sound := load(t, path)
	length := len(sound) - 8
	long := append([]byte{}, sound...)
	binary.LittleEndian.PutUint32(long[length:], 0xFFFFFF00)
	// A version, and a list of 2^31-1 structures that are not there.
	list := "\x15\x02\x19\xFC\xFF\xFF\xFF\xFF\x07"
	many := "PAR1" + list + string(binary.LittleEndian.AppendUint32(nil, uint32(len(list)))) + "PAR1"
	for text, want := range map[string]string{
		string(sound): "",
		string(long):  "longer than the file",
		many:          "unexpected EOF",
		"PAR1":        "too short",
	} {
		save(t, path, []byte(text))
		_, file, err := beginEvents(path)
		if err == nil {
			file.Close()
		}
		for _, err := range []error{err, compacted(path)} {
			if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), path+": damaged") || !strings.Contains(err.Error(), want)) {
				t.Errorf("%.40q: %v, want %q", text, err, want)
			}
		}
	}
}
