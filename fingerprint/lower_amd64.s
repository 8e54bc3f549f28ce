#include "textflag.h"

DATA letters<>+0(SB)/1, $0x7F
DATA letters<>+1(SB)/1, $('A'-1)
DATA letters<>+2(SB)/1, $('Z'+1)
DATA letters<>+3(SB)/1, $('a'-'A')
GLOBL letters<>(SB), RODATA|NOPTR, $4

// func lowerVectors(dst, src *byte, n int) (done int)
//
// DI dst, SI src, CX vectors left, AX bytes done.
TEXT ·lowerVectors(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	XORQ AX, AX
	VPBROADCASTB letters<>+0(SB), Y10
	VPBROADCASTB letters<>+1(SB), Y11
	VPBROADCASTB letters<>+2(SB), Y12
	VPBROADCASTB letters<>+3(SB), Y13

loop:
	VMOVDQU (SI)(AX*1), Y0

	// the high bit is set of DEL and of what is beyond ASCII
	VPCMPEQB  Y0, Y10, Y1
	VPOR      Y0, Y1, Y1
	VPMOVMSKB Y1, BX
	TESTL     BX, BX
	JNZ       done

	VPCMPGTB Y11, Y0, Y1
	VPCMPGTB Y0, Y12, Y2
	VPAND    Y1, Y2, Y1
	VPAND    Y1, Y13, Y1
	VPOR     Y1, Y0, Y0
	VMOVDQU  Y0, (DI)(AX*1)
	ADDQ     $32, AX
	DECQ     CX
	JNZ      loop

done:
	VZEROUPPER
	MOVQ AX, done+24(FP)
	RET
