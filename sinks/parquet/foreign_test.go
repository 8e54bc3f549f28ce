package parquet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
)

// Times that are not INT64 would be read as other times: they are refused.
func TestForeignTimes(t *testing.T) {
	type int96 struct {
		Time deprecated.Int96 `parquet:"time"`
	}
	type millis struct {
		Time int64 `parquet:"time,timestamp(millisecond)"`
	}
	type days struct {
		Time int32 `parquet:"time,date"`
	}
	f := func(write func(path string) error, want string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "events.parquet")
		if err := write(path); err != nil {
			t.Fatal(err)
		}
		_, file, err := beginEvents(path)
		if err == nil {
			file.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	f(func(path string) error { return parquet.WriteFile(path, []int96{{}}) }, "column time is INT96, as Spark writes times")
	f(func(path string) error { return parquet.WriteFile(path, []millis{{}}) }, "column time is TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS), not TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)")
	f(func(path string) error { return parquet.WriteFile(path, []days{{}}) }, "column time is DATE, not TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)")
	f(func(path string) error { return os.WriteFile(path, []byte("PAR1PAR1"), 0o600) }, "damaged")
}
