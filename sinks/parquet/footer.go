package parquet

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// checkFooter walks over the footer of a file. The library makes room for as
// many bytes, row groups and columns as a footer says there are, before it looks
// for the first: a wrong byte could ask for more memory than there is, and that
// ends the process. Who walks needs no room, and misses what is not there.
func checkFooter(f io.ReaderAt, size int64) error {
	var end [8]byte // the footer's length, and a mark that the library looks at
	if size < int64(len(end)) {
		return errors.New("too short")
	}
	if _, err := f.ReadAt(end[:], size-int64(len(end))); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(end[:]))
	if n > size-int64(len(end)) {
		return errors.New("its footer is longer than the file")
	}
	footer := make([]byte, n)
	if _, err := f.ReadAt(footer, size-int64(len(end))-n); err != nil {
		return err
	}
	var nothing struct{} // so that all is passed over
	protocol := thrift.CompactProtocol{}
	return thrift.NewDecoder(protocol.NewReaderFromBytes(footer)).Decode(&nothing)
}
