// Package report writes what tune found out as one HTML page to look around
// in and to pass on: it needs no network, and runs nothing that is not in it.
package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the page
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/loopgauge/loopgauge/replay/tune"
)

// The page, its looks and what moves in it. The placeholders of the page stand
// in {{}}.
var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
)

// maxBytes is the most that a page has.
const maxBytes = 5 << 20

// Options are what a report does not know of itself.
type Options struct {
	Version string
	Command []string // that made it, as the shell had it
	Unread  []error  // logs that could not be opened
}

// Write writes the page.
func Write(w io.Writer, r *tune.Report, o Options) error {
	for _, d := range details {
		data, err := json.Marshal(newPage(r, o, d)) // escapes < > & and U+2028 and U+2029
		if err != nil {
			return err
		}
		html := assemble(data)
		if len(html) <= maxBytes {
			_, err = w.Write(html)
			return err
		}
	}
	return fmt.Errorf("a page of %d rules and %d windows would be larger than %d MiB: give fewer", len(r.Options.Rules), len(r.Options.Windows), maxBytes>>20)
}

// details are the amounts of detail to try, most first.
var details = []detail{
	{repeats: 7 * maxBytes / 10, thresholds: thresholds},
	{repeats: maxBytes / 5, thresholds: []int{2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100}},
	{repeats: 0, thresholds: []int{2, 3, 4, 5, 10, 20}},
}

// thresholds are the rows of a heat-map, as far as they were swept.
var thresholds = []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200}

// assemble puts the page together. The policy in its head lets nothing in that
// is not in the page: no other script or style, no picture, no connection.
func assemble(data []byte) []byte {
	page := strings.NewReplacer(
		"{{policy}}", "default-src 'none'; script-src '"+hash(pageJS)+"'; style-src '"+hash(pageCSS)+"'; base-uri 'none'; form-action 'none'",
		"{{style}}", pageCSS, "{{script}}", pageJS,
	).Replace(pageHTML)
	return bytes.Replace([]byte(page), []byte("{{data}}"), data, 1)
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
