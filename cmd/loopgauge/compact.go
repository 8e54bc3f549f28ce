package main

import (
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopgauge/loopgauge/ingest/blob"
	"github.com/loopgauge/loopgauge/sinks/parquet"
	"github.com/loopgauge/loopgauge/window/policy"
)

func newCompactCommand(u *ui) *cobra.Command {
	var keep string
	c := &cobra.Command{
		Use:   "compact DIR",
		Short: "Merge the small files of a dataset, remove old days",
		Long: `Compact merges the small files that watch --out writes, day by day. Run it every
hour, beside the watch: that is not disturbed, and what it wrote last is left
for the next time. Queries see a day's old files or its new one, never both; one
that is under way at that moment may fail and must be asked again.`,
		Example: `  loopgauge compact out/
  loopgauge compact --keep 90d out/`,
		Args: one("name one dataset: the directory that --out named"),
		RunE: func(_ *cobra.Command, args []string) error {
			if blob.Is(args[0]) {
				return usage(fmt.Errorf("%s: what is written into an object store has no small files: name a directory", blob.Object(args[0])))
			}
			before := int64(math.MinInt64)
			if keep != "" {
				age, ok := policy.ParseDuration(keep)
				if !ok || age <= 0 {
					return usage(fmt.Errorf("--keep: must be a time such as 90d or 36h, is %q", keep))
				}
				before = time.Now().Add(-age).UnixMicro()
			}
			done, err := parquet.Compact(args[0], before)
			if err != nil {
				return err
			}
			if done.Removed > 0 {
				u.say("%s: removed the files of %d folders of days that ended more than %s ago (%d bytes)", args[0], done.Removed, keep, done.RemovedBytes)
			}
			if done.Before == 0 {
				u.say("%s: nothing to merge", args[0])
				return nil
			}
			u.say("%s: %d files are %d now, in %d folders of days", args[0], done.Before, done.After, done.Days)
			return nil
		},
	}
	c.Flags().StringVar(&keep, "keep", "", "remove days that ended longer ago than this, such as 90d (default: none)")
	return c
}
