#include "textflag.h"

// The round constants of FIPS 180-4, section 4.2.2, two at a time.
DATA constants<>+0(SB)/8, $0x71374491428a2f98
DATA constants<>+8(SB)/8, $0xe9b5dba5b5c0fbcf
DATA constants<>+16(SB)/8, $0x59f111f13956c25b
DATA constants<>+24(SB)/8, $0xab1c5ed5923f82a4
DATA constants<>+32(SB)/8, $0x12835b01d807aa98
DATA constants<>+40(SB)/8, $0x550c7dc3243185be
DATA constants<>+48(SB)/8, $0x80deb1fe72be5d74
DATA constants<>+56(SB)/8, $0xc19bf1749bdc06a7
DATA constants<>+64(SB)/8, $0xefbe4786e49b69c1
DATA constants<>+72(SB)/8, $0x240ca1cc0fc19dc6
DATA constants<>+80(SB)/8, $0x4a7484aa2de92c6f
DATA constants<>+88(SB)/8, $0x76f988da5cb0a9dc
DATA constants<>+96(SB)/8, $0xa831c66d983e5152
DATA constants<>+104(SB)/8, $0xbf597fc7b00327c8
DATA constants<>+112(SB)/8, $0xd5a79147c6e00bf3
DATA constants<>+120(SB)/8, $0x1429296706ca6351
DATA constants<>+128(SB)/8, $0x2e1b213827b70a85
DATA constants<>+136(SB)/8, $0x53380d134d2c6dfc
DATA constants<>+144(SB)/8, $0x766a0abb650a7354
DATA constants<>+152(SB)/8, $0x92722c8581c2c92e
DATA constants<>+160(SB)/8, $0xa81a664ba2bfe8a1
DATA constants<>+168(SB)/8, $0xc76c51a3c24b8b70
DATA constants<>+176(SB)/8, $0xd6990624d192e819
DATA constants<>+184(SB)/8, $0x106aa070f40e3585
DATA constants<>+192(SB)/8, $0x1e376c0819a4c116
DATA constants<>+200(SB)/8, $0x34b0bcb52748774c
DATA constants<>+208(SB)/8, $0x4ed8aa4a391c0cb3
DATA constants<>+216(SB)/8, $0x682e6ff35b9cca4f
DATA constants<>+224(SB)/8, $0x78a5636f748f82ee
DATA constants<>+232(SB)/8, $0x8cc7020884c87814
DATA constants<>+240(SB)/8, $0xa4506ceb90befffa
DATA constants<>+248(SB)/8, $0xc67178f2bef9a3f7
GLOBL constants<>(SB), RODATA|NOPTR, $256

// Words of a message are big-endian.
DATA swap<>+0(SB)/8, $0x0405060700010203
DATA swap<>+8(SB)/8, $0x0C0D0E0F08090A0B
GLOBL swap<>(SB), RODATA|NOPTR, $16

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

// func blocks(a, b *state, p, q *byte, n int)
//
// SI, DI the messages, CX blocks left, R8, R9 the states, AX the constants.
TEXT ·blocks(SB), NOSPLIT, $0-40
	MOVQ a+0(FP), R8
	MOVQ b+8(FP), R9
	MOVQ p+16(FP), SI
	MOVQ q+24(FP), DI
	MOVQ n+32(FP), CX
	LEAQ constants<>(SB), AX
	MOVOU swap<>(SB), X14
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

// func hasSHA() bool
TEXT ·hasSHA(SB), NOSPLIT, $0-1
	MOVL  $0, AX
	CPUID
	CMPL  AX, $7
	JLT   none
	MOVL  $7, AX
	MOVL  $0, CX
	CPUID
	SHRL  $29, BX
	ANDL  $1, BX
	MOVB  BX, ret+0(FP)
	RET

none:
	MOVB $0, ret+0(FP)
	RET
