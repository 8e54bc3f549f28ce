#include "textflag.h"

// The round constants of FIPS 180-4, section 4.2.2, two at a time.
DATA ·constants+0(SB)/8, $0x71374491428a2f98
DATA ·constants+8(SB)/8, $0xe9b5dba5b5c0fbcf
DATA ·constants+16(SB)/8, $0x59f111f13956c25b
DATA ·constants+24(SB)/8, $0xab1c5ed5923f82a4
DATA ·constants+32(SB)/8, $0x12835b01d807aa98
DATA ·constants+40(SB)/8, $0x550c7dc3243185be
DATA ·constants+48(SB)/8, $0x80deb1fe72be5d74
DATA ·constants+56(SB)/8, $0xc19bf1749bdc06a7
DATA ·constants+64(SB)/8, $0xefbe4786e49b69c1
DATA ·constants+72(SB)/8, $0x240ca1cc0fc19dc6
DATA ·constants+80(SB)/8, $0x4a7484aa2de92c6f
DATA ·constants+88(SB)/8, $0x76f988da5cb0a9dc
DATA ·constants+96(SB)/8, $0xa831c66d983e5152
DATA ·constants+104(SB)/8, $0xbf597fc7b00327c8
DATA ·constants+112(SB)/8, $0xd5a79147c6e00bf3
DATA ·constants+120(SB)/8, $0x1429296706ca6351
DATA ·constants+128(SB)/8, $0x2e1b213827b70a85
DATA ·constants+136(SB)/8, $0x53380d134d2c6dfc
DATA ·constants+144(SB)/8, $0x766a0abb650a7354
DATA ·constants+152(SB)/8, $0x92722c8581c2c92e
DATA ·constants+160(SB)/8, $0xa81a664ba2bfe8a1
DATA ·constants+168(SB)/8, $0xc76c51a3c24b8b70
DATA ·constants+176(SB)/8, $0xd6990624d192e819
DATA ·constants+184(SB)/8, $0x106aa070f40e3585
DATA ·constants+192(SB)/8, $0x1e376c0819a4c116
DATA ·constants+200(SB)/8, $0x34b0bcb52748774c
DATA ·constants+208(SB)/8, $0x4ed8aa4a391c0cb3
DATA ·constants+216(SB)/8, $0x682e6ff35b9cca4f
DATA ·constants+224(SB)/8, $0x78a5636f748f82ee
DATA ·constants+232(SB)/8, $0x8cc7020884c87814
DATA ·constants+240(SB)/8, $0xa4506ceb90befffa
DATA ·constants+248(SB)/8, $0xc67178f2bef9a3f7
GLOBL ·constants(SB), RODATA|NOPTR, $256

// Words of a message are big-endian.
DATA ·swap+0(SB)/8, $0x0405060700010203
DATA ·swap+8(SB)/8, $0x0C0D0E0F08090A0B
GLOBL ·swap(SB), RODATA|NOPTR, $16
