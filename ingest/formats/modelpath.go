package formats

import (
	"bytes"
	"net/url"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// modelOf is the model that a URL's path names, and whether it asks for a
// stream: Google's models/NAME:generateContent, Bedrock's model/NAME/converse.
func modelOf(path []byte) (model []byte, stream fingerprint.Tri) {
	if bytes.IndexByte(path, '%') >= 0 { // of NAME's colon
		if plain, err := url.PathUnescape(string(path)); err == nil {
			path = []byte(plain)
		}
	}
	for _, v := range verbs {
		rest, ok := bytes.CutSuffix(path, []byte(v.suffix))
		if !ok {
			continue
		}
		for _, collection := range v.collections {
			if _, name, ok := bytes.Cut(rest, []byte(collection)); ok {
				model = name
			}
		}
		return model, fingerprint.TriOf(v.streams)
	}
	return nil, fingerprint.NotLogged
}

// verbs are what stands behind the name of a model, and collections what may
// stand before it.
var verbs = []struct {
	suffix      string
	streams     bool
	collections []string
}{
	{":generateContent", false, google},
	{":streamGenerateContent", true, google},
	{":countTokens", false, google},
	{":rawPredict", false, google},
	{":streamRawPredict", true, google},
	{"/converse", false, amazon},
	{"/converse-stream", true, amazon},
	{"/invoke", false, amazon},
	{"/invoke-with-response-stream", true, amazon},
}

var (
	google = []string{"/models/", "/tunedModels/", "/endpoints/"}
	amazon = []string{"/model/"}
)
