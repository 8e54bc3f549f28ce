// Package policy reads policies: the YAML that says which rules to run. It
// checks them strictly, names every problem with its place and the way out,
// and holds the built-in profiles.
package policy
