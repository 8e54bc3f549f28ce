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

// shortEnd is the first of the shortSize bytes from p on that is a quote, a
// backslash, a control character or not ASCII; shortSize if none is.
//
//go:noescape
func shortEnd(p *byte) (n int)
