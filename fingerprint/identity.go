package fingerprint

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
)

// Identity says what makes two requests the same. Make one with [New].
type Identity struct {
	Name  string // as a policy writes it
	Reads Field  // the costly fields that it needs
	Sees  Sight  // of a conversation

	// Again says that what comes for the first time has no fingerprint: three
	// requests with the same one are the second to the fourth.
	Again bool

	spec    string // what New was called with: see Spec
	rules   textRules
	compute func(r *Request, w *Writer) Cause
}

// Compute writes the fingerprints of r to w, in order. It returns why there
// are none, or Computable.
func (id *Identity) Compute(r *Request, w *Writer) Cause {
	n := len(w.prints)
	w.rules, w.broken, w.tools = id.rules, false, w.tools[:0]
	w.asSent = r.isAsSent()
	cause := id.compute(r, w)
	if w.broken {
		cause = BrokenJSON
	}
	if cause != Computable {
		w.drop(n)
	}
	return r.why(cause)
}

// Same reports whether two identities always give the same fingerprints,
// because they were made of the same options.
func (id *Identity) Same(other *Identity) bool {
	return id == other || id.spec == other.spec && id.spec != ""
}

// Spec says what New was called with: identities of equal specs are the same.
// It is written into saved state, so its form does not change; an option that
// comes to be is left out where it is not set.
func (id *Identity) Spec() string { return id.spec }

// Options are the fields of a rule that shape its identity. An identity
// refuses those it has no use for.
type Options struct {
	Parts      []string // instead of a name: compose an identity from these
	Mask       []string // kinds of volatile text to replace: see Masks
	Lower      bool     // fold message text to lower case
	LimitKeys  []string // attributes that are fairvisor's descriptors; all if nil
	IgnoreBody bool     // fairvisor: leave the body hash out, as shipped
	// RequireBody: fairvisor: a request that must have had a body, and of which
	// the log has none, is not computable.
	RequireBody bool
}

// Print is one fingerprint and, where a Writer keeps it, the canonical bytes
// that it is the hash of.
type Print struct {
	Fingerprint Fingerprint
	Canonical   []byte
	// Tool names the tool called, or several with commas between, where the
	// identity looks at calls: nil otherwise. It is good until the next
	// Compute.
	Tool []byte
}

// Fingerprint is the hash of canonical bytes. It is comparable.
type Fingerprint struct {
	sum  [sha256.Size]byte
	size uint8 // bytes of sum in use: 4 CRC-32, 16 composed, 32 SHA-256
}

// String is the fingerprint as the gateway in question would write it:
// decimal for a CRC-32, lower-case hex for the others.
func (f Fingerprint) String() string { return string(f.Append(nil)) }

// Append appends what String gives.
func (f *Fingerprint) Append(b []byte) []byte {
	if f.size == 4 {
		return strconv.AppendUint(b, uint64(binary.BigEndian.Uint32(f.sum[:])), 10)
	}
	return hex.AppendEncode(b, f.sum[:f.size])
}

// Bytes is the fingerprint's binary form, 4, 16 or 32 bytes.
func (f *Fingerprint) Bytes() []byte { return f.sum[:f.size] }
