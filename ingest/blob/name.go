package blob

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/ingest"
)

// schemes are those of the object stores.
var schemes = []string{"s3", "gs", "azblob"}

// ofStore is how names of object stores begin, also of those that are not read:
// results for az:// or S3:// would go into a directory of that name.
var ofStore = regexp.MustCompile(`^(?i)[a-z][a-z0-9+.-]*://`)

// Is tells whether a name on the command line is one of an object store, and none
// of a topic.
func Is(name string) bool { return ofStore.MatchString(name) && !strings.HasPrefix(name, "kafka://") }

// Check is an error if a name of an object store is not written as one is.
func Check(text string) error {
	_, err := parse(text)
	return err
}

// name is a name on the command line, taken apart.
type name struct {
	scheme, bucket string
	key            string // or the pattern of keys
	settings       string // of the opener, as in a URL
}

// settings begin at the first question mark that a setting follows, be it of a signed
// URL (X-Amz-Algorithm=): any other is a part of the key.
var settings = regexp.MustCompile(`\?[A-Za-z0-9_-]+=`)

func parse(text string) (name, error) {
	var n name
	whole := Object(text) // settings of others may be a key
	n.scheme, text, _ = strings.Cut(text, "://")
	if !slices.Contains(schemes, n.scheme) {
		return n, &ingest.Error{Path: whole, Err: errors.New("no object store is named so"), Hint: "they are s3://BUCKET/KEY, gs://BUCKET/KEY and azblob://CONTAINER/KEY, and a topic is kafka://HOST:PORT/TOPIC; a file is named by its path alone"}
	}
	if at := settings.FindStringIndex(text); at != nil {
		text, n.settings = text[:at[0]], text[at[0]+1:]
	}
	n.bucket, n.key, _ = strings.Cut(text, "/")
	if n.bucket == "" || strings.ContainsAny(n.bucket, "*?[") {
		return n, n.fail("", errors.New("no bucket"), fmt.Sprintf("write it as %s://BUCKET/KEY", n.scheme))
	}
	return n, nil
}

// unchecked keeps Amazon's library from saying of every object without a
// checksum that it has none. Compressed logs have their own.
const unchecked, whenRequired = "response_checksum_validation", "when_required"

// url is what the opener is given.
func (n *name) url() string {
	set := n.settings
	if n.scheme == "s3" && !strings.Contains(set, unchecked) {
		set = strings.TrimPrefix(set+"&"+unchecked+"="+whenRequired, "&")
	}
	return strings.TrimSuffix(n.scheme+"://"+n.bucket+"?"+set, "?")
}

// object is how messages and the output show an object.
func (n *name) object(key string) string { return n.scheme + "://" + n.bucket + "/" + key }

// Object is the name without settings, as it is in messages and in the output.
func Object(text string) string {
	if at := settings.FindStringIndex(text); at != nil && Is(text) {
		return text[:at[0]]
	}
	return text
}
