//go:build !amd64

package sha256pair

const hasBlocks = false

func blocks(_, _ *state, _, _ *byte, _ int) { panic("sha256pair: no SHA instructions") }
