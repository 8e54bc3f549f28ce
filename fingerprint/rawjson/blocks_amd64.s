#include "go_asm.h"
#include "textflag.h"

DATA bytes<>+0(SB)/1, $'"'
DATA bytes<>+1(SB)/1, $'\\'
DATA bytes<>+2(SB)/1, $0x20
DATA bytes<>+3(SB)/1, $'{'
DATA bytes<>+4(SB)/1, $'}'
GLOBL bytes<>(SB), RODATA|NOPTR, $8

// func markBlocks(p *byte, n int, out *marks, at int, c *carry)
//
// SI text, CX blocks left, DI marks, DX carry;
// R8 escaped (1 if the next byte is), R9 inString (all ones inside a string),
// R10 backslashes outside strings seen so far, R13 the odd bits.
TEXT ·markBlocks(SB), NOSPLIT, $0-40
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ out+16(FP), DI
	MOVQ at+24(FP), AX
	LEAQ (DI)(AX*8), DI
	MOVQ c+32(FP), DX
	MOVQ 0(DX), R8
	MOVQ 8(DX), R9
	MOVQ 16(DX), R10
	MOVQ $0xAAAAAAAAAAAAAAAA, R13
	VPBROADCASTB bytes<>+0(SB), Y10
	VPBROADCASTB bytes<>+1(SB), Y11
	VPBROADCASTB bytes<>+2(SB), Y12
	VPBROADCASTB bytes<>+3(SB), Y13
	VPBROADCASTB bytes<>+4(SB), Y14
	VPCMPEQB     X9, X9, X9 // all ones: multiplied by it without carry, bits become prefix parities

loop:
	VMOVDQU 0(SI), Y0
	VMOVDQU 32(SI), Y1

	// AX: quotes
	VPCMPEQB  Y0, Y10, Y2
	VPCMPEQB  Y1, Y10, Y3
	VPMOVMSKB Y2, AX
	VPMOVMSKB Y3, BX
	SHLQ      $32, BX
	ORQ       BX, AX

	// R11: backslashes
	VPCMPEQB  Y0, Y11, Y2
	VPCMPEQB  Y1, Y11, Y3
	VPMOVMSKB Y2, R11
	VPMOVMSKB Y3, BX
	SHLQ      $32, BX
	ORQ       BX, R11

	// odd: backslashes, and bytes with the high bit
	VPMOVMSKB Y0, R14
	VPMOVMSKB Y1, BX
	SHLQ      $32, BX
	ORQ       BX, R14
	ORQ       R11, R14
	MOVQ      R14, marks_odd(DI)

	// R12: brackets; [ and { differ in one bit, and so do ] and }
	VPOR      Y0, Y12, Y2
	VPOR      Y1, Y12, Y3
	VPCMPEQB  Y2, Y13, Y4
	VPCMPEQB  Y2, Y14, Y5
	VPCMPEQB  Y3, Y13, Y6
	VPCMPEQB  Y3, Y14, Y7
	VPOR      Y4, Y5, Y4
	VPOR      Y6, Y7, Y6
	VPMOVMSKB Y4, R12
	VPMOVMSKB Y6, BX
	SHLQ      $32, BX
	ORQ       BX, R12

	// Take out the quotes behind an odd number of backslashes. Subtracting
	// where each run starts flips its bits up to its end.
	MOVQ R11, BX
	ORQ  R8, BX
	JZ   unescaped
	NOTQ R8
	ANDQ R11, R8             // backslashes that may start an escape
	LEAQ (R8)(R8*1), R14
	ORQ  R13, R14
	SUBQ R8, R14
	XORQ R13, R14
	XORQ R14, BX             // escaped bytes
	NOTQ BX
	ANDQ BX, AX
	ANDQ R11, R14            // backslashes that do escape
	MOVQ R14, R8
	SHRQ $63, R8

unescaped:
	// BX: inside strings, from the opening quote to before the closing one
	VMOVQ      AX, X6
	VPCLMULQDQ $0, X9, X6, X6
	VMOVQ      X6, BX
	XORQ       R9, BX
	MOVQ       BX, R9
	SARQ       $63, R9
	NOTQ       BX
	ANDQ       BX, R12
	ANDQ       BX, R11
	ORQ        R11, R10

	MOVQ AX, marks_quotes(DI)
	MOVQ R12, marks_brackets(DI)
	ADDQ $64, SI
	ADDQ $8, DI
	DECQ CX
	JNZ  loop
	MOVQ $0, marks_quotes(DI)

	MOVQ R8, 0(DX)
	MOVQ R9, 8(DX)
	MOVQ R10, 16(DX)
	VZEROUPPER
	RET

// The letters that AppendString writes behind a backslash, " \ b f n r t, by
// their halves: a byte is one of them if the entries of its lower and of its
// upper four bits share a bit.
DATA lower<>+0(SB)/8, $0x00040008000D0000
DATA lower<>+8(SB)/8, $0x0004000200000000
GLOBL lower<>(SB), RODATA|NOPTR, $16
DATA upper<>+0(SB)/8, $0x0804020000010000
DATA upper<>+8(SB)/8, $0x0000000000000000
GLOBL upper<>(SB), RODATA|NOPTR, $16
DATA bounds<>+0(SB)/1, $0x1F
DATA bounds<>+1(SB)/1, $0x0F
GLOBL bounds<>(SB), RODATA|NOPTR, $8

// func checkBlocks(p *byte, n int, c *checks)
//
// SI text, CX blocks left, DX checks; R8 escaped, R10 wrong, R13 the odd bits,
// Y8 control characters seen, Y9 all bytes seen.
TEXT ·checkBlocks(SB), NOSPLIT, $0-24
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ c+16(FP), DX
	MOVQ 0(DX), R8
	MOVQ 8(DX), R10
	MOVQ $0xAAAAAAAAAAAAAAAA, R13
	VPBROADCASTB   bytes<>+1(SB), Y10
	VPBROADCASTB   bounds<>+0(SB), Y11
	VPBROADCASTB   bounds<>+1(SB), Y12
	VBROADCASTI128 lower<>(SB), Y13
	VBROADCASTI128 upper<>(SB), Y14
	VPXOR          Y8, Y8, Y8
	VPXOR          Y9, Y9, Y9
	VPXOR          Y15, Y15, Y15

check:
	VMOVDQU 0(SI), Y0
	VMOVDQU 32(SI), Y1
	VPOR    Y0, Y9, Y9
	VPOR    Y1, Y9, Y9

	// control characters are not changed by taking the lesser of them and 1F
	VPMINUB  Y0, Y11, Y2
	VPMINUB  Y1, Y11, Y3
	VPCMPEQB Y0, Y2, Y2
	VPCMPEQB Y1, Y3, Y3
	VPOR     Y2, Y8, Y8
	VPOR     Y3, Y8, Y8

	// R11: backslashes
	VPCMPEQB  Y0, Y10, Y2
	VPCMPEQB  Y1, Y10, Y3
	VPMOVMSKB Y2, R11
	VPMOVMSKB Y3, BX
	SHLQ      $32, BX
	ORQ       BX, R11
	MOVQ      R11, BX
	ORQ       R8, BX
	JZ        checked

	// BX: escaped bytes, as in markBlocks
	NOTQ R8
	ANDQ R11, R8
	LEAQ (R8)(R8*1), R14
	ORQ  R13, R14
	SUBQ R8, R14
	XORQ R13, R14
	XORQ R14, BX
	ANDQ R11, R14
	MOVQ R14, R8
	SHRQ $63, R8

	// AX: bytes that are none of the letters
	VPSRLW    $4, Y0, Y4
	VPSRLW    $4, Y1, Y5
	VPAND     Y12, Y4, Y4
	VPAND     Y12, Y5, Y5
	VPSHUFB   Y4, Y14, Y4
	VPSHUFB   Y5, Y14, Y5
	VPSHUFB   Y0, Y13, Y2
	VPSHUFB   Y1, Y13, Y3
	VPAND     Y2, Y4, Y2
	VPAND     Y3, Y5, Y3
	VPCMPEQB  Y2, Y15, Y2
	VPCMPEQB  Y3, Y15, Y3
	VPMOVMSKB Y2, AX
	VPMOVMSKB Y3, R14
	SHLQ      $32, R14
	ORQ       R14, AX
	ANDQ      BX, AX
	ORQ       AX, R10

checked:
	ADDQ $64, SI
	DECQ CX
	JNZ  check

	VPMOVMSKB Y8, AX
	ORQ       AX, R10
	VPMOVMSKB Y9, AX
	ORQ       AX, 16(DX)
	MOVQ      R8, 0(DX)
	MOVQ      R10, 8(DX)
	VZEROUPPER
	RET
