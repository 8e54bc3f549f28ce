// Package live judges sources that do not end. It drives the same pipeline as
// replay, so live and replay cannot differ, and adds what only a process that
// runs for months needs: checkpoints, silence, and effects that happen once.
//
// Everything that judging remembers, the requests it holds back, how far each
// stream has been read and the alerts that are not sent yet stand in one
// checkpoint, written in one piece. After a crash the newest whole checkpoint
// is loaded and its streams are read on from its marks, so every request is
// judged exactly once as far as any state can tell. Alerts leave only after
// the checkpoint that holds them; files are cut back to what it says. The order of
// all that, and what a crash behind each step repeats, stands at checkpoint.
package live
