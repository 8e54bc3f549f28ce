//go:build !amd64

package sha256lanes

func ways() []choice { return nil }

func (w *way) compress(*state, *[maxLanes]*byte, int) { panic("sha256lanes: no instructions") }
