// Package monitor shows how a watch stands to those who operate it: metrics
// for Prometheus, and two pages for whoever starts and stops it.
package monitor
