// Package explain says why a request, or an episode, was judged as it was: it runs
// the logs through the same order again, and follows each rule beside them.
package explain
