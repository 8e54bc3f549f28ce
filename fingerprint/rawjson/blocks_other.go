//go:build !amd64

package rawjson

const hasBlocks = false

func markBlocks(*byte, int, *marks, int, *carry) { panic("rawjson: no vector instructions") }
func checkBlocks(*byte, int, *checks)            { panic("rawjson: no vector instructions") }
