//go:build !amd64

package rawjson

const hasBlocks = false

func markBlocks(*byte, int, *[batch]marks, *carry) { panic("rawjson: no vector instructions") }
func checkBlocks(*byte, int, *checks)              { panic("rawjson: no vector instructions") }
func plainVectors(*byte, int) int                  { panic("rawjson: no vector instructions") }
