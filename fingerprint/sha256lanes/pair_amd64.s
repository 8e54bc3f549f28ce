#include "textflag.h"

// Four rounds of one message: abef and cdgh are its state, m the words of
// these rounds. X0 is what SHA256RNDS2 adds.
#define ROUNDS(i, m, abef, cdgh) \
	MOVOA       m, X0            \
	PADDD       (i*16)(AX), X0   \
	SHA256RNDS2 X0, abef, cdgh   \
	PSHUFD      $0x0E, X0, X0    \
	SHA256RNDS2 X0, cdgh, abef

// The words after next, of which next holds what SHA256MSG1 made.
#define EXPAND(before, m, next) \
	MOVOA      m, X13           \
	PALIGNR    $4, before, X13  \
	PADDD      X13, next        \
	SHA256MSG2 m, next

// The same of both messages, A in X1 to X6 and B in X7 to X12.
#define FIRST(i, a, b)     \
	MOVOU  (i*16)(SI), a   \
	MOVOU  (i*16)(DI), b   \
	PSHUFB X14, a          \
	PSHUFB X14, b          \
	ROUNDS(i, a, X1, X2)   \
	ROUNDS(i, b, X7, X8)

#define MIDDLE(i, a0, a1, a2, b0, b1, b2) \
	ROUNDS(i, a1, X1, X2)  \
	ROUNDS(i, b1, X7, X8)  \
	EXPAND(a0, a1, a2)     \
	EXPAND(b0, b1, b2)     \
	SHA256MSG1 a1, a0      \
	SHA256MSG1 b1, b0

// func pair(a, b *[8]uint32, p, q *byte, n int)
//
// SI, DI the messages, CX blocks left, R8, R9 the states, AX the constants.
TEXT ·pair(SB), NOSPLIT, $0-40
	MOVQ a+0(FP), R8
	MOVQ b+8(FP), R9
	MOVQ p+16(FP), SI
	MOVQ q+24(FP), DI
	MOVQ n+32(FP), CX
	LEAQ ·constants(SB), AX
	MOVOU ·swap(SB), X14
	MOVOU (R8), X1
	MOVOU 16(R8), X2
	MOVOU (R9), X7
	MOVOU 16(R9), X8

loop:
	FIRST(0, X3, X9)
	FIRST(1, X4, X10)
	SHA256MSG1 X4, X3
	SHA256MSG1 X10, X9
	FIRST(2, X5, X11)
	SHA256MSG1 X5, X4
	SHA256MSG1 X11, X10
	FIRST(3, X6, X12)
	EXPAND(X5, X6, X3)
	EXPAND(X11, X12, X9)
	SHA256MSG1 X6, X5
	SHA256MSG1 X12, X11
	MIDDLE(4, X6, X3, X4, X12, X9, X10)
	MIDDLE(5, X3, X4, X5, X9, X10, X11)
	MIDDLE(6, X4, X5, X6, X10, X11, X12)
	MIDDLE(7, X5, X6, X3, X11, X12, X9)
	MIDDLE(8, X6, X3, X4, X12, X9, X10)
	MIDDLE(9, X3, X4, X5, X9, X10, X11)
	MIDDLE(10, X4, X5, X6, X10, X11, X12)
	MIDDLE(11, X5, X6, X3, X11, X12, X9)
	MIDDLE(12, X6, X3, X4, X12, X9, X10)
	ROUNDS(13, X4, X1, X2)
	ROUNDS(13, X10, X7, X8)
	EXPAND(X3, X4, X5)
	EXPAND(X9, X10, X11)
	ROUNDS(14, X5, X1, X2)
	ROUNDS(14, X11, X7, X8)
	EXPAND(X4, X5, X6)
	EXPAND(X10, X11, X12)
	ROUNDS(15, X6, X1, X2)
	ROUNDS(15, X12, X7, X8)

	MOVOU (R8), X0
	PADDD X0, X1
	MOVOU X1, (R8)
	MOVOU 16(R8), X0
	PADDD X0, X2
	MOVOU X2, 16(R8)
	MOVOU (R9), X0
	PADDD X0, X7
	MOVOU X7, (R9)
	MOVOU 16(R9), X0
	PADDD X0, X8
	MOVOU X8, 16(R9)
	ADDQ  $64, SI
	ADDQ  $64, DI
	DECQ  CX
	JNZ   loop
	RET

// func identify() (sha, intel bool)
TEXT ·identify(SB), NOSPLIT, $0-2
	MOVB $0, sha+0(FP)
	MOVL $0, AX
	CPUID
	CMPL BX, $0x756e6547 // Genu, ineI, ntel
	SETEQ intel+1(FP)
	CMPL AX, $7
	JLT  none
	MOVL $7, AX
	MOVL $0, CX
	CPUID
	SHRL $29, BX
	ANDL $1, BX
	MOVB BX, sha+0(FP)

none:
	RET
