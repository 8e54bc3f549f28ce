package rawjson

import "golang.org/x/sys/cpu"

var hasBlocks = cpu.X86.HasAVX2 && cpu.X86.HasPCLMULQDQ

// markBlocks marks n blocks of 64 bytes from p on.
//
//go:noescape
func markBlocks(p *byte, n int, out *[batch]marks, c *carry)

// checkBlocks checks n blocks of 64 bytes from p on: see verbatim.
//
//go:noescape
func checkBlocks(p *byte, n int, c *checks)

// plainVectors is how many bytes from p on, of n vectors at most, come before
// the first quote, backslash, control character, or byte that is not ASCII.
//
//go:noescape
func plainVectors(p *byte, n int) (at int)
