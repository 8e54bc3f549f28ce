package main

import "syscall"

// dependent ends a process with the one that started it.
func dependent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
