package fingerprint

// arena holds copies of texts that would be overwritten where they were read.
type arena []byte

func (a *arena) keep(text []byte) []byte {
	if text == nil {
		return nil
	}
	n := len(*a)
	*a = append(*a, text...)
	return (*a)[n:len(*a):len(*a)]
}
