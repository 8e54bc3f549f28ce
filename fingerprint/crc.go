package fingerprint

import (
	"encoding/binary"
	"hash/crc32"
)

// crcOf is the CRC-32 that nginx's ngx.crc32_short computes (IEEE).
func crcOf(canonical []byte) Fingerprint {
	f := Fingerprint{size: 4}
	binary.BigEndian.PutUint32(f.sum[:], crc32.ChecksumIEEE(canonical))
	return f
}
