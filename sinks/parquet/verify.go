package parquet

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// verify looks at every page of a file: what is in it replaces the file. Who asks
// the library for rows is given those of another column where one ends early, and
// words whose checksum nobody has looked at; in the order of its pages a column
// shows both.
func verify(file *parquet.File) error {
	rows := int64(0)
	for _, group := range file.RowGroups() {
		rows += group.NumRows()
		for at, chunk := range group.ColumnChunks() {
			if err := verifyChunk(chunk, group.NumRows()); err != nil {
				return fmt.Errorf("column %d: %w", at, err)
			}
		}
	}
	if rows != file.NumRows() {
		return fmt.Errorf("holds %d rows of %d", rows, file.NumRows())
	}
	return nil
}

// verifyChunk looks at the pages of a column in a row group of so many rows.
func verifyChunk(chunk parquet.ColumnChunk, rows int64) error {
	pages := chunk.Pages()
	defer pages.Close()
	var values, found int64
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		values, found = values+page.NumValues(), found+page.NumRows()
		parquet.Release(page)
	}
	if found != rows || values != chunk.NumValues() {
		return fmt.Errorf("%d rows of %d, %d values of %d", found, rows, values, chunk.NumValues())
	}
	return nil
}
