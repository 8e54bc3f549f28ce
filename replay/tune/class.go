package tune

// Class is what a repeat counts as when a setting fires on it.
type Class int

const (
	Neither  Class = iota // an outage, or what came too seldom for a loop
	Excluded              // what would be wrong, but that the policy's exclusions take out
	Wrong
	Loop
	HiddenLoop // a loop that no sane setting finds, and none misses
)

func (c Class) isLoop() bool { return c >= Loop }

// class is what a repeat counts as if nothing is excluded, and whether a label
// says so.
func (l Labels) class(k *Repeat) (class Class, labelled bool) {
	loop, labelled := l.of(k)
	if !labelled {
		loop = k.Kind.IsLoop()
	}
	switch {
	case labelled && !loop, !labelled && k.Kind.IsWrong():
		return Wrong, labelled
	case !loop, k.Requests < int64(k.Rule.LeastCount()): // a client that tries again twice is no loop yet
		return Neither, labelled
	case int(k.top) >= k.Rule.LeastCount(): // some sane setting fires on it
		return Loop, labelled
	}
	return HiddenLoop, labelled
}

// of is the label of a repeat. What several sessions did together has none: that of
// one says nothing of the others. Where the log names none, nothing tells whether
// several conversations did it.
func (l Labels) of(k *Repeat) (loop, labelled bool) {
	if loop, labelled = l[k.who()]; labelled && k.Session != "" && !k.Rule.BySession() && !k.facts.OfSession(k.Session) {
		return false, false
	}
	return loop, labelled
}

// isLoop says whether a repeat is a loop, which some setting finds or not.
func (l Labels) isLoop(k *Repeat) bool {
	class, _ := l.class(k)
	return class.isLoop()
}

// Class says what the repeat counts as: by the labels where there are any, and
// by its kind elsewhere.
func (r *Report) Class(k *Repeat) Class {
	class, labelled := r.Options.Labels.class(k)
	if class == Wrong && !labelled && k.excluded {
		return Excluded
	}
	return class
}

// classOf says what repeats count as that are summed up.
func (r *Report) classOf(a *alike) Class {
	if a.class == Wrong && !a.labelled && r.excluded(a) {
		return Excluded
	}
	return a.class
}
