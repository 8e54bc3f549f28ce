package main

import (
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// ending are the signals that end the program in order. A terminal sends SIGHUP
// when it is closed; whoever is started with nohup does not hear of it.
func ending() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if isTerminal(os.Stdin) && !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// passOverHangups says of each SIGHUP, where no terminal sends it, that there
// is nothing to do: rotated logs are followed all the same, and a supervisor
// would take an end in order for one that was wanted.
func passOverHangups(log *slog.Logger) {
	if isTerminal(os.Stdin) || signal.Ignored(syscall.SIGHUP) {
		return
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		for range hangups {
			log.Info("SIGHUP is passed over: rotated files are followed without it; a changed policy needs a restart")
		}
	}()
}
