package formats

import (
	"bytes"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// guess is under which names gateways log a field, the likeliest first: in lower
// case and without what stands between words. One with a dot is of what lies in
// another.
type guess struct {
	field string
	names []string
}

// Names of callers tell them apart better than keys, and keys than addresses.
var (
	callerNames = []string{"consumer.username", "consumer", "caller", "keyalias", "apikeyalias", "apikeyname", "keyname", "tokenname", "virtualkeyname", "apikeyid", "keyid", "clientname", "clientid", "client", "appname", "appid", "app", "applicationname", "applicationid", "application", "teamname", "teamid", "team", "tenantname", "tenantid", "tenant", "project", "requester"}
	callerKeys  = []string{"apikey", "apikeyhash", "authorization"}
)

// guesses are of all fields. An id comes after those that have ids, too.
var guesses = []guess{
	{"time", []string{"time", "timestamp", "ts", "@timestamp", "starttime", "startedat", "start", "date", "datetime", "createdat"}},
	{"end", []string{"end", "endtime", "endedat", "ended", "finishedat", "finished", "completedat", "completed", "endtimestamp", "responsetimestamp", "timeend"}},
	{"duration", []string{"duration", "latency", "took", "elapsed", "responsetime", "responselatency", "requesttime", "reqtime", "timetaken", "totaltime", "elapsedtime", "timeelapsed", "processingtime", "executiontime", "generationtime", "walltime", "usetime", "dur", "rt", ""}},
	{"method", []string{"method", "httpmethod", "requestmethod", "verb"}},
	{"url", []string{"url", "uri", "requesturi", "requesturl", "target", "path", "httppath", "requestpath", "resourcepath", "urloriginal", "uristem", "endpoint", "request", "req", "requrl", "requri", "reqpath"}},
	{"query", []string{"querystring", "uriquery"}},
	{"caller_name", callerNames},
	{"caller", callerKeys},
	{"caller_name", slices.Concat(callerNames, []string{"clientip", "cip", "remoteip", "remoteaddr", "remoteaddress", "remote", "srcaddr", "sourceip", "calleripaddress", "clientaddr", "clienthost", "ip"})},
	{"caller", callerKeys}, // that few have
	{"response", []string{"response", "responsebody", "output.messages", "outputmessages", "outputchoices", "completionmessage", "output", "outputs", "choices"}},
	{"body", []string{"body", "requestbody", "request"}},
	{"user", []string{"user", "userid", "enduser", "customeridentifier", "username", "uid", "distinctid"}},
	{"session", []string{"sessionid", "session", "conversationid", "conversation", "threadid", "threadidentifier", "chatid", "episodeid", "sess", "sid", "conv", "convid", "chat", "thread", "runid"}},
	{"id", []string{"requestid", "callid", "reqid", "generationid", "correlationid", "transactionid", "rayid", "trackingreference", "eventid", "id", "spanid", "uuid", "traceid"}},
	{"model", []string{"requestmodel", "genairequestmodel", "model", "modelname", "modelid", "modelpermaslug"}},
	{"backend", []string{"provider", "providername", "genaiprovidername", "backend", "upstream", "vendor"}},
	{"headers", []string{"headers", "requestheaders"}},
	{"messages", []string{"messages", "inputhistory", "prompt"}},
	{"tool_calls", []string{"toolcalls", "toolinvocations"}},
	{"status", []string{"status", "statuscode", "httpstatus", "responsecode", "code", "resultsignature"}},
	{"error", []string{"error", "errormessage", "err", "exceptiontype", "exception"}},
	{"tokens_in", []string{"prompttokens", "inputtokens", "tokensin", "tokensprompt", "tokensinput", "prompttokencount", "inputtokencount", "genaiusageinputtokens"}},
	{"tokens_out", []string{"completiontokens", "outputtokens", "tokensout", "tokenscompletion", "tokensoutput", "completiontokencount", "outputtokencount", "candidatestokencount", "genaiusageoutputtokens"}},
	{"tokens_cached", []string{"cachedtokens", "tokenscached", "cachereadinputtokens", "cachedprompttokens", "tokenscachedprompt", "cachetokens"}},
	{"cost", []string{"cost", "spend", "price", "costusd", "costtotal", "totalcost", "totalprice"}},
	{"stream", []string{"stream", "streaming", "isstream", "streamed"}},
	{"cached", []string{"cached", "cachehit"}},
}

// namesOf are those of a field, the likeliest first.
func namesOf(field string) []string {
	return guesses[slices.IndexFunc(guesses, func(g guess) bool { return g.field == field })].names
}

// pick is the path that is likely a field: one that is called so, else one whose
// last two names are, else one whose name ends so, as EdgeResponseStatus does.
// What says nothing in the lines at hand comes last, unless other names are to be tried.
func (g *guesser) pick(field string, names []string, used map[string]bool, last bool) (path string) {
	if path = g.shaped(field); path != "" {
		return path
	}
	for _, silent := range slices.Compact([]bool{false, last}) {
		for _, named := range []func(path, name string) bool{isNamed, isJoined, endsNamed} {
			for _, name := range names {
				for _, p := range g.paths {
					if used[p] || silent == (g.holds(p) || says(g.texts[p])) || !named(bareName(field, p), name) || !g.fits(field, p) {
						continue
					}
					// The least nested duration, of several the longest, is that of the whole call.
					switch deeper := strings.Count(p, ".") - strings.Count(path, "."); {
					case path == "", deeper < 0, field == "duration" && deeper == 0 && g.longest(p) > g.longest(path):
						path = p
					}
				}
				if path != "" && field != "duration" {
					return path
				}
			}
			if path != "" {
				return path
			}
		}
	}
	if field == "caller_name" && last && g.labels && isIP(withoutPort(g.texts["host"])) && g.fits(field, "host") {
		return "host" // with labels the client's, as LTSV has it, where others have the server's
	}
	if field == "caller" {
		for _, p := range g.paths { // under whatever name
			if !used[p] && g.isKey(p) && g.fits(field, p) {
				return p
			}
		}
	}
	if field == "messages" || field == "response" {
		for _, p := range g.talks { // the request's come first
			if !used[p] && (field == "messages" || ofAnswer.MatchString(p)) {
				return p
			}
		}
	}
	return ""
}

// guessed is the path, of those that are not used, that is likely a field.
func (g *guesser) guessed(field string, used map[string]bool) string {
	return g.pick(field, namesOf(field), used, true)
}

// pickNull is the path that is called as a field is, where no record says anything.
func (g *guesser) pickNull(names []string) string {
	for _, name := range names {
		for _, p := range g.nulls {
			if !g.has(p) && isNamed(p, name) {
				return p
			}
		}
	}
	return ""
}

// ofAnswer tells a path to what a model said.
var ofAnswer = regexp.MustCompile(`(?i)(?:^|\.)(?:output|response|completion|answer)[^.]*\.`)

// typeName is a name that databases put between that of a value and the value,
// MongoDB and DynamoDB, and what Azure's Log Analytics puts behind those of one's own
// tables.
var typeName = regexp.MustCompile(`\.(?:\$(?:date|oid|uuid|number[A-Z]\w+)|[SN])$|_[sdgbt]$`)

// bareName is a path without the type that a database put behind a name, what PostHog
// puts in front of its own ($ai_model), and the unit that a duration's name ends with.
// What lies in an object of tokens, whatever that is called, is of tokens.
func bareName(field, path string) string {
	path = strings.ReplaceAll(path, "$ai_", "")
	if at := strings.LastIndexByte(path, '.'); at > 0 && strings.HasPrefix(field, "tokens_") && slices.ContainsFunc(wordsOf(path[:at]), isOfTokens) {
		path = "tokens" + path[at:]
	}
	if field == "duration" {
		if bare, unit := cutUnit(path); unit != "" {
			return bare
		}
	}
	return typeName.ReplaceAllString(path, "")
}

func isOfTokens(word string) bool { return word == "tokens" || word == "token" || word == "usage" }

// cutUnit takes the unit off the end of a name, and the type behind it: the s of
// latency_s is seconds.
func cutUnit(name string) (bare, unit string) {
	if isNamed(name, "event.duration") { // of Elastic's common schema
		return name, "ns"
	}
	words := wordsOf(name)
	unit = unitWords[words[len(words)-1]]
	if unit == "" {
		if untyped := typeName.ReplaceAllString(name, ""); untyped != name {
			return cutUnit(untyped)
		}
		return name, ""
	}
	name = strings.TrimRightFunc(name, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	return name[:len(name)-len(words[len(words)-1])], unit
}

// unitWords are the units that names of durations end with.
var unitWords = map[string]string{
	"ms": "ms", "msec": "ms", "millis": "ms", "milliseconds": "ms", "s": "s", "sec": "s", "secs": "s", "seconds": "s",
	"us": "us", "micros": "us", "microseconds": "us", "ns": "ns", "nanos": "ns", "nanoseconds": "ns", "durationms": "ms", "latencyms": "ms",
}

// isNamed tells whether the end of a path is a name.
func isNamed(path, name string) bool {
	path = folded(path)
	return path == name || strings.HasSuffix(path, "."+name)
}

// isJoined tells whether the last two names of a path are one: user.id.
func isJoined(path, name string) bool {
	at := strings.LastIndexByte(path, '.')
	return at > 0 && isNamed(path[:at]+path[at+1:], name)
}

// endsNamed tells whether the last words of a path are a name. What is said to
// the model each time is not what is asked.
func endsNamed(path, name string) bool {
	const short = 4 // shorter ones end much else
	words := wordsOf(path)
	if len(name) < short || slices.Contains(words, "system") {
		return false
	}
	for i := range words {
		if strings.Join(words[i:], "") == name {
			return true
		}
	}
	return false
}

// wordsOf are the words of the last name of a path, in lower case.
func wordsOf(path string) []string {
	var b strings.Builder
	last := rune(0)
	for _, c := range path[strings.LastIndexByte(path, '.')+1:] {
		if unicode.IsUpper(c) && unicode.IsLower(last) {
			b.WriteByte(' ')
		}
		if last = c; !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			c = ' '
		}
		b.WriteRune(unicode.ToLower(c))
	}
	if words := strings.Fields(b.String()); len(words) > 0 {
		return words
	}
	return []string{""}
}

// unfolded are between the words of names.
var unfolded = strings.NewReplacer("-", "", "_", "", " ", "", "(", "", ")", "")

func folded(name string) string { return strings.ToLower(unfolded.Replace(name)) }

var (
	methodText = regexp.MustCompile(`^[A-Z]{3,7}$`)
	statusText = regexp.MustCompile(`^[1-5]\d\d$`)
	urlText    = regexp.MustCompile(`^(?:[A-Z]{3,7} )?(?:/|[a-z]+://)`)
	keyText    = regexp.MustCompile(`^(?:Bearer \S|sk-[\w-]{6}|AIza)`)
	sourceLine = regexp.MustCompile(`\.(?:c|cc|cpp|cs|go|java|js|kt|php|py|rb|rs|ts):\d+$`) // of the program, as zap's caller
)

// fits tells whether what a path leads to may be the field. An object that is
// called request or response may hold its method or status, and no body.
func (g *guesser) fits(field, path string) bool {
	if g.holds(path) {
		members, body := bodyMembers[field]
		if !body {
			return holding[field]
		}
		return slices.ContainsFunc(members, func(m string) bool { return g.has(path + "." + m) })
	}
	text := g.texts[path]
	switch {
	case !says(text):
		return true
	case bytes.Equal(text, emptyExample): // of all that lie in a table
		return false
	case bytes.Equal(text, listExample):
		return holding[field] || bodyMembers[field] != nil
	}
	number := rawjson.ValidNumber(text)
	switch field {
	case "method":
		return methodText.Match(text)
	case "status":
		return statusText.Match(text)
	case "backend", "model":
		return !number
	case "url":
		return urlText.Match(text)
	case "caller_name":
		return !sourceLine.Match(text) && !keyText.Match(text) && (!isIP(withoutPort(text)) && !g.isShared(path) || !g.keyed())
	case "caller":
		return !isHidden(text) && !isFlag(text)
	case "body", "response", "messages":
		return !number && !urlText.Match(text)
	case "end":
		return len(guessLayouts(text)) > 0
	case "duration":
		return (&custom{}).duration(&CustomField{}, found{text: text}) != fingerprint.NoTime
	case "tool_calls", "error": // not how many there were, nor whether, or whether some may be made side by side
		return !isFlag(text) && !number
	case "cost":
		return number && !slices.Contains(wordsOf(path), "unit")
	case "tokens_in", "tokens_out", "tokens_cached":
		return number
	case "id":
		return !isHeader(path) && g.isDistinct(path)
	}
	return true
}

// isHeader tells what lies among headers: a client may send one again with each retry.
func isHeader(path string) bool {
	return slices.ContainsFunc(strings.Split(path, ".")[:strings.Count(path, ".")], func(name string) bool { return strings.HasSuffix(folded(name), "headers") })
}

// keyed tells whether most records have a key, which tells callers apart better than
// the address that agents share: in a field, or among headers.
func (g *guesser) keyed() bool {
	keys := g.keyValues()
	return len(keys) > 0 && 2*len(keys) >= len(g.records)
}

// keyValues are the keys of the records that have one.
func (g *guesser) keyValues() [][]byte {
	var paths []string
	for _, p := range g.paths {
		if g.isKey(p) {
			paths = append(paths, p+".0", p)
		}
	}
	return slices.DeleteFunc(g.values(paths...), isHidden)
}

// isShared tells whether all records have one value there, as of the gateway itself, though
// their keys differ.
func (g *guesser) isShared(path string) bool {
	values := g.values(path)
	return len(values) == len(g.records) && !differ(values) && differ(g.keyValues())
}

func differ(values [][]byte) bool {
	return slices.ContainsFunc(values, func(v []byte) bool { return !bytes.Equal(v, values[0]) })
}

// isKey tells the path to a key, whatever it is called where it looks like one.
func (g *guesser) isKey(path string) bool {
	text := g.texts[path]
	return says(text) && !g.holds(path) && !isHidden(text) && !isFlag(text) &&
		(keyText.Match(text) || slices.ContainsFunc(callerKeys, func(name string) bool { return isNamed(path, name) || endsNamed(path, name) }))
}

// keys are the paths to keys, the one at hand first: clients send theirs in one header
// or another.
func (g *guesser) keys(path string) []string {
	keys := []string{path}
	for _, p := range g.paths {
		if p != path && g.isKey(p) && g.fits("caller", p) {
			keys = append(keys, p)
		}
	}
	return keys
}

func isIP(text []byte) bool {
	_, err := netip.ParseAddr(string(text))
	return err == nil
}

func isFlag(text []byte) bool { return string(text) == "true" || string(text) == "false" }

// isDistinct tells whether nearly all records have a value of their own: requests
// with one id are one.
func (g *guesser) isDistinct(path string) bool {
	values := g.values(path)
	different := map[string]bool{}
	for _, v := range values {
		different[string(v)] = true
	}
	return 10*len(different) >= 9*len(values)
}

// values are those that a path leads to, the first of several that does, as texts.
func (g *guesser) values(paths ...string) (values [][]byte) {
	g.parse(func(r *fingerprint.Request) {
		if len(r.ID) > 0 {
			values = append(values, bytes.Clone(r.ID))
		}
	}, CustomField{Name: "id", Paths: paths})
	return values
}
