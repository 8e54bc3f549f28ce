module github.com/loopgauge/loopgauge

go 1.26
