package rawjson

import "golang.org/x/sys/cpu"

var hasBlocks = cpu.X86.HasAVX2 && cpu.X86.HasPCLMULQDQ

// markBlocks marks n blocks of 64 bytes from p on, of which the first is number
// at of the batch.
//
//go:noescape
func markBlocks(p *byte, n int, out *marks, at int, c *carry)

// checkBlocks checks n blocks of 64 bytes from p on: see verbatim.
//
//go:noescape
func checkBlocks(p *byte, n int, c *checks)
