package formats

import (
	"bytes"
	"net/netip"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// tells says whether a name, a key or an address tells a caller from others. What
// stands for none, as in a header of a variable that is not set, is the same for all,
// and so is what a logger has left of a key.
func tells(text []byte) bool {
	return fingerprint.NamesSession(text) && !isMasked(text) && !isVoid(text)
}

// isVoid tells what is made of no key: Tyk writes its hash, which is 0, or dashes.
func isVoid(key []byte) bool { return len(key) > 1 && len(bytes.Trim(key, "-0")) == 0 }

// isScheme tells a header Authorization with no key behind the scheme.
func isScheme(key []byte) bool { return equalFold(key, "bearer") || equalFold(key, "basic") }

// keyPrefixes begin the keys of all callers of a provider; a longer one comes before
// that which it begins with.
var keyPrefixes = []string{"sk-ant-api03-", "sk-ant-", "sk-proj-", "sk-svcacct-", "sk-or-v1-", "sk-lf-", "sk-", "pk-", "gsk_", "xai-", "aiza", "bearer"}

// isMasked tells a key of which nothing is left but how all begin: sk-...****. One whose
// end or middle is there tells its caller from most others.
func isMasked(key []byte) bool {
	rest := bytes.Trim(key, " ")
	for _, prefix := range keyPrefixes {
		if len(rest) >= len(prefix) && equalFold(rest[:len(prefix)], prefix) {
			rest = rest[len(prefix):]
			break
		}
	}
	left := bytes.Trim(rest, "*.•…xX-_")
	return len(left) == 0 && (bytes.Contains(rest, []byte("**")) || bytes.Contains(rest, []byte("..")) || bytes.ContainsAny(rest, "•…") || bytes.Contains(bytes.ToLower(rest), []byte("xxx")))
}

// isNone tells what stands for a body that was not there. An empty one was.
func isNone(body []byte) bool {
	return len(body) > 0 && !fingerprint.NamesSession(body) && !isHidden(body)
}

// host is an address without its port.
func host(address []byte) []byte {
	if i := bytes.LastIndexByte(address, ':'); i > 0 && (bytes.IndexByte(address, ':') == i || address[i-1] == ']') {
		return address[:i]
	}
	return address
}

// withoutPort is the address in front of a port, which is another with each
// connection; other names are as they are.
func withoutPort(name []byte) []byte {
	if h := host(name); len(h) < len(name) {
		if _, err := netip.ParseAddrPort(string(name)); err == nil {
			return h
		}
	}
	return name
}
