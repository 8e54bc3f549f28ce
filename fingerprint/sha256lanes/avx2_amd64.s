#include "textflag.h"
#include "state_amd64.h"

// Each register holds one word of eight messages. Names are those of FIPS
// 180-4, section 6.2.2: Y0 to Y7 are a to h, which change places from round to
// round. The last sixteen words of W are on the stack, from R8 on.

// Y9 and Y11, added bit by bit, are x rotated by p and x rotated by q.
#define TURNED(x, p, q)        \
	VPSRLD $p, x, Y9       \
	VPSLLD $(32-p), x, Y10 \
	VPSRLD $q, x, Y11      \
	VPSLLD $(32-q), x, Y12 \
	VPXOR  Y10, Y9, Y9     \
	VPXOR  Y12, Y11, Y11

// Y9 is x rotated by p, by q and by r, all three added bit by bit.
#define SIGMA(x, p, q, r)      \
	TURNED(x, p, q)        \
	VPSRLD $r, x, Y10      \
	VPSLLD $(32-r), x, Y12 \
	VPXOR  Y11, Y9, Y9     \
	VPXOR  Y12, Y10, Y10   \
	VPXOR  Y10, Y9, Y9

// The same with x shifted by r.
#define SHIFTED(x, p, q, r) \
	TURNED(x, p, q)     \
	VPSRLD $r, x, Y10   \
	VPXOR  Y11, Y9, Y9  \
	VPXOR  Y10, Y9, Y9

// One round; t is its number, (t*4)(AX) its constant. The majority of a, b and
// c is b, changed where both its neighbors differ from it: bc is where b and c
// do, ab becomes where a and b do, which is bc in the next round.
#define ROUND(t, a, b, c, d, e, f, g, h, ab, bc) \
	VPBROADCASTD ((t)*4)(AX), Y8             \
	VPADDD       ((t)*32)(R8), Y8, Y8        \
	VPADDD       Y8, h, h                    \
	SIGMA(e, 6, 11, 25)                      \
	VPXOR        f, g, Y13                   \
	VPAND        e, Y13, Y13                 \
	VPXOR        g, Y13, Y13                 \
	VPADDD       Y9, h, h                    \
	VPADDD       Y13, h, h                   \
	VPADDD       h, d, d                     \
	SIGMA(a, 2, 13, 22)                      \
	VPXOR        a, b, ab                    \
	VPAND        ab, bc, bc                  \
	VPXOR        b, bc, bc                   \
	VPADDD       Y9, bc, bc                  \
	VPADDD       bc, h, h

// Eight rounds, after which a to h stand where they stood.
#define ROUNDS(t)                                            \
	ROUND(t+0, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y14, Y15) \
	ROUND(t+1, Y7, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y15, Y14) \
	ROUND(t+2, Y6, Y7, Y0, Y1, Y2, Y3, Y4, Y5, Y14, Y15) \
	ROUND(t+3, Y5, Y6, Y7, Y0, Y1, Y2, Y3, Y4, Y15, Y14) \
	ROUND(t+4, Y4, Y5, Y6, Y7, Y0, Y1, Y2, Y3, Y14, Y15) \
	ROUND(t+5, Y3, Y4, Y5, Y6, Y7, Y0, Y1, Y2, Y15, Y14) \
	ROUND(t+6, Y2, Y3, Y4, Y5, Y6, Y7, Y0, Y1, Y14, Y15) \
	ROUND(t+7, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y0, Y15, Y14)

// The word that is 16 rounds behind w0, in its place.
#define EXPAND(w0, w1, w9, w14)       \
	VMOVDQA (w1*32)(R8), Y8       \
	SHIFTED(Y8, 7, 18, 3)         \
	VPADDD  (w0*32)(R8), Y9, Y13  \
	VMOVDQA (w14*32)(R8), Y8      \
	SHIFTED(Y8, 17, 19, 10)       \
	VPADDD  (w9*32)(R8), Y13, Y13 \
	VPADDD  Y9, Y13, Y13          \
	VMOVDQA Y13, (w0*32)(R8)

// Four words, from t on, of the messages at p and q, four lanes apart.
#define LOAD(t, p, q, x, y)            \
	MOVQ        (p*8)(SI), R9      \
	MOVQ        (q*8)(SI), R10     \
	VMOVDQU     (t*4)(R9)(DX*1), x \
	VINSERTI128 $1, (t*4)(R10)(DX*1), y, y

// The same of all messages: four words of four lanes are transposed in each
// half of the registers.
#define WORDS(t)                       \
	LOAD(t, 0, 4, X8, Y8)          \
	LOAD(t, 1, 5, X9, Y9)          \
	LOAD(t, 2, 6, X10, Y10)        \
	LOAD(t, 3, 7, X11, Y11)        \
	VPUNPCKLDQ  Y9, Y8, Y12        \
	VPUNPCKHDQ  Y9, Y8, Y13        \
	VPUNPCKLDQ  Y11, Y10, Y14      \
	VPUNPCKHDQ  Y11, Y10, Y15      \
	VPUNPCKLQDQ Y14, Y12, Y8       \
	VPUNPCKHQDQ Y14, Y12, Y9       \
	VPUNPCKLQDQ Y15, Y13, Y10      \
	VPUNPCKHQDQ Y15, Y13, Y11      \
	VBROADCASTI128 ·swap(SB), Y12  \
	VPSHUFB     Y12, Y8, Y8        \
	VPSHUFB     Y12, Y9, Y9        \
	VPSHUFB     Y12, Y10, Y10      \
	VPSHUFB     Y12, Y11, Y11      \
	VMOVDQA     Y8, (t*32)(R8)     \
	VMOVDQA     Y9, (t*32+32)(R8)  \
	VMOVDQA     Y10, (t*32+64)(R8) \
	VMOVDQA     Y11, (t*32+96)(R8)

// func avx2(s *state, blocks *[8]*byte, n int)
//
// DI the states, SI the messages, DX how far in them, CX blocks left.
TEXT ·avx2(SB), 0, $544-24
	MOVQ s+0(FP), DI
	MOVQ blocks+8(FP), SI
	MOVQ n+16(FP), CX
	XORQ DX, DX
	LEAQ 31(SP), R8
	ANDQ $~31, R8
	LOADSTATE

block:
	WORDS(0)
	WORDS(4)
	WORDS(8)
	WORDS(12)
	VPXOR Y1, Y2, Y15
	LEAQ ·constants(SB), AX
	MOVQ $3, BX

rounds:
	ROUNDS(0)
	ROUNDS(8)
	DECQ BX
	JLT  done
	EXPAND(0, 1, 9, 14)
	EXPAND(1, 2, 10, 15)
	EXPAND(2, 3, 11, 0)
	EXPAND(3, 4, 12, 1)
	EXPAND(4, 5, 13, 2)
	EXPAND(5, 6, 14, 3)
	EXPAND(6, 7, 15, 4)
	EXPAND(7, 8, 0, 5)
	EXPAND(8, 9, 1, 6)
	EXPAND(9, 10, 2, 7)
	EXPAND(10, 11, 3, 8)
	EXPAND(11, 12, 4, 9)
	EXPAND(12, 13, 5, 10)
	EXPAND(13, 14, 6, 11)
	EXPAND(14, 15, 7, 12)
	EXPAND(15, 0, 8, 13)
	ADDQ $64, AX
	JMP  rounds

done:
	ADDSTATE
	ADDQ $64, DX
	DECQ CX
	JNZ  block
	VZEROUPPER
	RET
