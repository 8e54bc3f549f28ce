//go:build !linux

package main

import "syscall"

// dependent would end a process with the one that started it.
func dependent() *syscall.SysProcAttr { return nil }
