package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// takesColours asks a console to read colours, which it may not do by itself, and tells
// whether it does.
func takesColours(terminal *os.File) bool {
	var mode uint32
	console := windows.Handle(terminal.Fd())
	return windows.GetConsoleMode(console, &mode) == nil &&
		windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
