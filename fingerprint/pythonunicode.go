package fingerprint

import "unicode"

// Python 3.11, whose text the byte-exact identities reproduce, knows Unicode
// 14; Go's tables are those of version 15. A character that came in between is
// unassigned to Python: it has no case and cannot be printed.
var newCharacters = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x0CF3, Hi: 0x0CF3, Stride: 1},
		{Lo: 0x0ECE, Hi: 0x0ECE, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x10EFD, Hi: 0x10EFF, Stride: 1},
		{Lo: 0x1123F, Hi: 0x11241, Stride: 1},
		{Lo: 0x11B00, Hi: 0x11B09, Stride: 1},
		{Lo: 0x11F00, Hi: 0x11F10, Stride: 1},
		{Lo: 0x11F12, Hi: 0x11F3A, Stride: 1},
		{Lo: 0x11F3E, Hi: 0x11F59, Stride: 1},
		{Lo: 0x1342F, Hi: 0x1342F, Stride: 1},
		{Lo: 0x13439, Hi: 0x13455, Stride: 1},
		{Lo: 0x1B132, Hi: 0x1B132, Stride: 1},
		{Lo: 0x1B155, Hi: 0x1B155, Stride: 1},
		{Lo: 0x1D2C0, Hi: 0x1D2D3, Stride: 1},
		{Lo: 0x1DF25, Hi: 0x1DF2A, Stride: 1},
		{Lo: 0x1E030, Hi: 0x1E06D, Stride: 1},
		{Lo: 0x1E08F, Hi: 0x1E08F, Stride: 1},
		{Lo: 0x1E4D0, Hi: 0x1E4F9, Stride: 1},
		{Lo: 0x1F6DC, Hi: 0x1F6DC, Stride: 1},
		{Lo: 0x1F774, Hi: 0x1F776, Stride: 1},
		{Lo: 0x1F77B, Hi: 0x1F77F, Stride: 1},
		{Lo: 0x1F7D9, Hi: 0x1F7D9, Stride: 1},
		{Lo: 0x1FA75, Hi: 0x1FA77, Stride: 1},
		{Lo: 0x1FA87, Hi: 0x1FA88, Stride: 1},
		{Lo: 0x1FAAD, Hi: 0x1FAAF, Stride: 1},
		{Lo: 0x1FABB, Hi: 0x1FABD, Stride: 1},
		{Lo: 0x1FABF, Hi: 0x1FABF, Stride: 1},
		{Lo: 0x1FACE, Hi: 0x1FACF, Stride: 1},
		{Lo: 0x1FADA, Hi: 0x1FADB, Stride: 1},
		{Lo: 0x1FAE8, Hi: 0x1FAE8, Stride: 1},
		{Lo: 0x1FAF7, Hi: 0x1FAF8, Stride: 1},
		{Lo: 0x2B739, Hi: 0x2B739, Stride: 1},
		{Lo: 0x31350, Hi: 0x323AF, Stride: 1},
	},
}

func isNew(r rune) bool { return r >= 0x0CF3 && unicode.Is(newCharacters, r) }
