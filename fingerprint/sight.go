package fingerprint

// Sight is what requests have in common for certain if an identity calls them
// the same, but for what it masks. Fairvisor's sees nothing, for it goes without
// the body where there is none; nor does AISG's: of messages that are calls of
// tools or their results in Anthropic's words it keeps an empty text.
type Sight uint8

const (
	SeesText    Sight = 1 << iota // what was said, the last of it at least
	SeesAll                       // all that was said: the messages, or the body
	SeesCalls                     // a call that the model issued
	SeesResults                   // the last calls with what came of them
)

// Masks says that the identity takes for equal what differs in what it masks.
// Of ids of calls alone nobody would say that they make a difference.
func (id *Identity) Masks() bool { return len(id.rules.mask) > 0 && !id.rules.mask.onlyCallIDs() }
