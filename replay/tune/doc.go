// Package tune finds the rule and the setting that catch the loops of a log
// and leave the rest alone, before anything is enforced.
//
// One pass over the log counts every rule in every way ([window.Sweep]),
// judges it as each gateway would, and keeps what repeats ([Repeat]). Then each
// repeat is given a kind from what the log says of it, and the settings are
// compared by what they would have caught and what they would have hit wrongly.
package tune
