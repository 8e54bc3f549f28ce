//go:build !amd64

package fingerprint

const hasVectors = false

func lowerVectors(_, _ *byte, _ int) int { panic("fingerprint: no vector instructions") }
