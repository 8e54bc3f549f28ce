//go:build unix

package main

import "os"

func takesColours(*os.File) bool { return true }
