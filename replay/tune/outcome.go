package tune

// Outcome is what a setting would have done to the repeats of a rule.
type Outcome struct {
	Caught        int   `json:"caught"`         // loops it fires on
	Loops         int   `json:"loops"`          // that some sane setting finds: as many at each
	Wrong         int   `json:"wrong"`          // repeats that are none, and that it fires on
	Excluded      int   `json:"-"`              // of these not, for the policy's exclusions take them out
	Episodes      int   `json:"episodes"`       // repeats it fires on
	Joined        int   `json:"-"`              // of these, those that begin while another goes on in their place: one alert
	Alerts        int   `json:"-"`              // of the whole log: its episodes, as they are swept, without those that are joined
	Paused        bool  `json:"-"`              // some of these are several episodes, or several are one
	Waste         int64 `json:"requests_after"` // requests of loops from the firing on
	WrongRequests int64 `json:"-"`              // that it hits of those that are none
}

// Missed is how many loops it does not fire on.
func (o *Outcome) Missed() int { return o.Loops - o.Caught }

// Neither is how many it fires on that are neither right nor wrong to stop, such as
// outages.
func (o *Outcome) Neither() int { return o.Episodes - o.Caught - o.Wrong - o.Excluded }

// outweighed tells that it is wrong as often as it is right: that is not recommended.
func (o *Outcome) outweighed() bool { return o.Caught <= o.Wrong }

// betters tells that it is better in one of catching and of not being wrong, and in
// none worse.
func (o *Outcome) betters(x *Outcome) bool {
	return o.Caught >= x.Caught && o.Wrong <= x.Wrong && (o.Caught > x.Caught || o.Wrong < x.Wrong)
}
