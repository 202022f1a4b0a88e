package server

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var waitingNow = prometheus.NewDesc("recado_waiting",
	"Other background work that is left, on all nodes, by kind: sends, files to fetch, search texts to index; counted up to 100000.", []string{"kind"}, nil)

// Waiting is a metric of the background work that is left, besides deliveries.
type Waiting struct{ Desk *Desk }

// Describe names the metric.
func (w *Waiting) Describe(ch chan<- *prometheus.Desc) { ch <- waitingNow }

// Collect reads the database; figures that do not come in time are left out.
func (w *Waiting) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	left, err := w.Desk.Backlog(ctx)
	if err != nil {
		return
	}
	for kind, n := range map[string]int64{"sends": left.Sends, "files": left.Files, "search": left.Search} {
		ch <- prometheus.MustNewConstMetric(waitingNow, prometheus.GaugeValue, float64(n), kind)
	}
}
