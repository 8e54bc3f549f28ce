// Package replay runs rules over logs: it reads the streams on all cores, puts
// their requests into one order, judges them, and reports.
//
//	blocks of lines -> requests -> events -> order -> duplicates -> engine -> sinks
//
// Everything up to the event happens in parallel, block by block; from the
// order on there is one goroutine, so that a run's outcome depends on the logs
// and the policy alone.
package replay
