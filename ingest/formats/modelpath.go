package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// modelOf is the model that a URL's path names, and whether it asks for a
// stream: Google's models/NAME:generateContent, Bedrock's model/NAME/converse,
// Azure's deployments/NAME/chat/completions. It is good until the next path.
func (p *requestBody) modelOf(path []byte) (model []byte, stream fingerprint.Tri) {
	if bytes.IndexByte(path, '%') >= 0 { // the colon in NAME
		p.path = appendUnescaped(p.path[:0], path, '%')
		path = p.path
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
	if _, rest, ok := bytes.Cut(path, []byte("/openai/deployments/")); ok {
		if name, _, ok := bytes.Cut(rest, []byte("/")); ok && len(name) > 0 {
			return name, fingerprint.NotLogged // the body tells whether to stream
		}
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
