// What the ways of eight lanes do with the states at DI, of whose words Y0 to Y7
// are a to h.

#define LOADSTATE           \
	VMOVDQU 0(DI), Y0   \
	VMOVDQU 32(DI), Y1  \
	VMOVDQU 64(DI), Y2  \
	VMOVDQU 96(DI), Y3  \
	VMOVDQU 128(DI), Y4 \
	VMOVDQU 160(DI), Y5 \
	VMOVDQU 192(DI), Y6 \
	VMOVDQU 224(DI), Y7

#define ADDSTATE                \
	VPADDD  0(DI), Y0, Y0   \
	VPADDD  32(DI), Y1, Y1  \
	VPADDD  64(DI), Y2, Y2  \
	VPADDD  96(DI), Y3, Y3  \
	VPADDD  128(DI), Y4, Y4 \
	VPADDD  160(DI), Y5, Y5 \
	VPADDD  192(DI), Y6, Y6 \
	VPADDD  224(DI), Y7, Y7 \
	VMOVDQU Y0, 0(DI)       \
	VMOVDQU Y1, 32(DI)      \
	VMOVDQU Y2, 64(DI)      \
	VMOVDQU Y3, 96(DI)      \
	VMOVDQU Y4, 128(DI)     \
	VMOVDQU Y5, 160(DI)     \
	VMOVDQU Y6, 192(DI)     \
	VMOVDQU Y7, 224(DI)
