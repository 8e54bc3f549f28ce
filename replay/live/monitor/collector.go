package monitor

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/loopgauge/loopgauge/replay/live"
)

// collector gives Prometheus the Metrics of a run.
type collector struct {
	now     func() live.Now
	clock   func() time.Time
	began   time.Time
	version string
	descs   []*prometheus.Desc // of Metrics, by index
}

// newCollector makes a collector of the run that now tells of, which is a
// live.Status's Get; version is loopgauge's.
func newCollector(now func() live.Now, version string) *collector {
	c := &collector{now: now, clock: time.Now, began: time.Now(), version: version}
	for _, m := range Metrics {
		c.descs = append(c.descs, prometheus.NewDesc(m.Name, m.Help, m.Labels, nil))
	}
	return c
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		to <- d
	}
}

// Collect implements prometheus.Collector. All that it emits is of one moment.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	v := &view{Now: c.now(), at: c.clock(), began: c.began, version: c.version}
	for i := range Metrics {
		m := &Metrics[i]
		m.read(v, func(value float64, labels ...string) {
			to <- prometheus.MustNewConstMetric(c.descs[i], m.Type.value(), value, labels...)
		})
	}
}
