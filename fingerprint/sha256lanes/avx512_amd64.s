#include "textflag.h"
#include "state_amd64.h"

// Each register holds one word of eight messages. Names are those of FIPS
// 180-4, section 6.2.2: Y0 to Y7 are a to h, which change places from round to
// round, and Y16 to Y31 the last sixteen words of W.

// Ternary logic, by what it gives for the bits 000 to 111 of three registers,
// the destination being the first.
#define XOR $0x96
#define CHOOSE $0xCA
#define MAJORITY $0xE8

// y is x rotated by p, by q and by r, all three added bit by bit; t and u are
// changed.
#define SIGMA(x, p, q, r, y, t, u) \
	VPRORD     $p, x, y        \
	VPRORD     $q, x, t        \
	VPRORD     $r, x, u        \
	VPTERNLOGD XOR, t, u, y

// The same with x shifted by r.
#define SHIFTED(x, p, q, r, y, t, u) \
	VPRORD     $p, x, y          \
	VPRORD     $q, x, t          \
	VPSRLD     $r, x, u          \
	VPTERNLOGD XOR, t, u, y

// One round; k(AX) is its constant.
#define ROUND(k, w, a, b, c, d, e, f, g, h) \
	VPADDD.BCST k(AX), w, Y8            \
	VPADDD      Y8, h, h                \
	SIGMA(e, 6, 11, 25, Y9, Y10, Y11)   \
	VMOVDQA32   e, Y12                  \
	VPTERNLOGD  CHOOSE, g, f, Y12       \
	VPADDD      Y9, h, h                \
	VPADDD      Y12, h, h               \
	VPADDD      h, d, d                 \
	SIGMA(a, 2, 13, 22, Y9, Y10, Y11)   \
	VMOVDQA32   a, Y12                  \
	VPTERNLOGD  MAJORITY, b, c, Y12     \
	VPADDD      Y9, Y12, Y12            \
	VPADDD      Y12, h, h

// Eight rounds, after which a to h stand where they stood.
#define ROUNDS(k, w0, w1, w2, w3, w4, w5, w6, w7)       \
	ROUND(k+0, w0, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)  \
	ROUND(k+4, w1, Y7, Y0, Y1, Y2, Y3, Y4, Y5, Y6)  \
	ROUND(k+8, w2, Y6, Y7, Y0, Y1, Y2, Y3, Y4, Y5)  \
	ROUND(k+12, w3, Y5, Y6, Y7, Y0, Y1, Y2, Y3, Y4) \
	ROUND(k+16, w4, Y4, Y5, Y6, Y7, Y0, Y1, Y2, Y3) \
	ROUND(k+20, w5, Y3, Y4, Y5, Y6, Y7, Y0, Y1, Y2) \
	ROUND(k+24, w6, Y2, Y3, Y4, Y5, Y6, Y7, Y0, Y1) \
	ROUND(k+28, w7, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y0)

// The word that is 16 rounds behind w0, in its place.
#define EXPAND(w0, w1, w9, w14)                 \
	VPADDD w9, w0, w0                       \
	SHIFTED(w1, 7, 18, 3, Y8, Y9, Y10)      \
	VPADDD Y8, w0, w0                       \
	SHIFTED(w14, 17, 19, 10, Y11, Y12, Y13) \
	VPADDD Y11, w0, w0

// Four words of two messages that are four lanes apart.
#define LOAD(word, p, q, x, y)         \
	VMOVDQU32     word(p)(DX*1), x \
	VINSERTI32X4  $1, word(q)(DX*1), y, y

// Four words of all messages: four lanes of y0 to y3 are transposed at once.
#define WORDS(word, x0, y0, x1, y1, x2, y2, x3, y3) \
	LOAD(word, R8, R12, x0, y0)                 \
	LOAD(word, R9, R13, x1, y1)                 \
	LOAD(word, R10, AX, x2, y2)                 \
	LOAD(word, R11, BX, x3, y3)                 \
	VPUNPCKLDQ  y1, y0, Y8                      \
	VPUNPCKHDQ  y1, y0, Y9                      \
	VPUNPCKLDQ  y3, y2, Y10                     \
	VPUNPCKHDQ  y3, y2, Y11                     \
	VPUNPCKLQDQ Y10, Y8, y0                     \
	VPUNPCKHQDQ Y10, Y8, y1                     \
	VPUNPCKLQDQ Y11, Y9, y2                     \
	VPUNPCKHQDQ Y11, Y9, y3                     \
	VPSHUFB     Y14, y0, y0                     \
	VPSHUFB     Y14, y1, y1                     \
	VPSHUFB     Y14, y2, y2                     \
	VPSHUFB     Y14, y3, y3

// func avx512(s *state, blocks *[8]*byte, n int)
//
// DI the states, SI the messages, DX how far in them, CX blocks left.
TEXT ·avx512(SB), NOSPLIT, $0-24
	MOVQ s+0(FP), DI
	MOVQ blocks+8(FP), SI
	MOVQ n+16(FP), CX
	XORQ DX, DX
	VBROADCASTI128 ·swap(SB), Y14
	LOADSTATE

block:
	MOVQ 0(SI), R8
	MOVQ 8(SI), R9
	MOVQ 16(SI), R10
	MOVQ 24(SI), R11
	MOVQ 32(SI), R12
	MOVQ 40(SI), R13
	MOVQ 48(SI), AX
	MOVQ 56(SI), BX
	WORDS(0, X16, Y16, X17, Y17, X18, Y18, X19, Y19)
	WORDS(16, X20, Y20, X21, Y21, X22, Y22, X23, Y23)
	WORDS(32, X24, Y24, X25, Y25, X26, Y26, X27, Y27)
	WORDS(48, X28, Y28, X29, Y29, X30, Y30, X31, Y31)
	LEAQ ·constants(SB), AX
	MOVQ $3, BX

rounds:
	ROUNDS(0, Y16, Y17, Y18, Y19, Y20, Y21, Y22, Y23)
	ROUNDS(32, Y24, Y25, Y26, Y27, Y28, Y29, Y30, Y31)
	DECQ BX
	JLT  done
	EXPAND(Y16, Y17, Y25, Y30)
	EXPAND(Y17, Y18, Y26, Y31)
	EXPAND(Y18, Y19, Y27, Y16)
	EXPAND(Y19, Y20, Y28, Y17)
	EXPAND(Y20, Y21, Y29, Y18)
	EXPAND(Y21, Y22, Y30, Y19)
	EXPAND(Y22, Y23, Y31, Y20)
	EXPAND(Y23, Y24, Y16, Y21)
	EXPAND(Y24, Y25, Y17, Y22)
	EXPAND(Y25, Y26, Y18, Y23)
	EXPAND(Y26, Y27, Y19, Y24)
	EXPAND(Y27, Y28, Y20, Y25)
	EXPAND(Y28, Y29, Y21, Y26)
	EXPAND(Y29, Y30, Y22, Y27)
	EXPAND(Y30, Y31, Y23, Y28)
	EXPAND(Y31, Y16, Y24, Y29)
	ADDQ $64, AX
	JMP  rounds

done:
	ADDSTATE
	ADDQ $64, DX
	DECQ CX
	JNZ  block
	VZEROUPPER
	RET
