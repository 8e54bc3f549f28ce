// Package ingest reads logs: it finds the sources, unpacks them, cuts them
// into blocks of whole lines, recognises their format, and reads the lines as
// requests. It keeps count of every line.
package ingest
