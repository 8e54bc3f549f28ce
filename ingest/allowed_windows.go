package ingest

// allowed is how many files the process may have open: Windows sets no limit.
func allowed() int64 { return 1 << 30 }
