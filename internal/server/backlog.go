package server

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

var waitingDesc = prometheus.NewDesc("recado_waiting",
	"Pending background work other than webhook deliveries, on all nodes, by kind: sends, files to fetch, search texts to index; counted up to 100000.",
	[]string{"kind"}, nil)

// waitingCollector collects a metric of the pending background work except deliveries.
type waitingCollector struct{ desk *Desk }

func (w waitingCollector) Describe(ch chan<- *prometheus.Desc) { ch <- waitingDesc }

// Collect reads the database. It collects nothing after a timeout.
func (w waitingCollector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	b, err := w.desk.Backlog(ctx)
	if err != nil {
		return
	}
	for kind, n := range map[string]int64{"sends": b.Sends, "files": b.Files, "search": b.Search} {
		ch <- prometheus.MustNewConstMetric(waitingDesc, prometheus.GaugeValue, float64(n), kind)
	}
}

// Backlog counts the pending background work of all companies.
type Backlog struct {
	Sends  int64 // messages to send to their provider
	Files  int64 // files to fetch from their provider
	Search int64 // conversations, contacts and cards to add to the search index
}

// Backlog counts the pending background work on all nodes except deliveries, up to a hundred thousand of each kind.
func (d *Desk) Backlog(ctx context.Context) (Backlog, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (b Backlog, err error) {
		_, err = tx.One(`
			SELECT /* all companies: figures for the operator */
				(SELECT COUNT(*) FROM (SELECT 1 AS one FROM sends LIMIT $1) counted) AS sends,
				(SELECT COUNT(*) FROM (SELECT 1 AS one FROM media WHERE fetch_at IS NOT NULL LIMIT $1) counted) AS files,
				(SELECT COUNT(*) FROM (SELECT 1 AS one FROM conversations WHERE unindexed LIMIT $1) counted) +
				(SELECT COUNT(*) FROM (SELECT 1 AS one FROM contacts WHERE unindexed LIMIT $1) counted) +
				(SELECT COUNT(*) FROM (SELECT 1 AS one FROM cards WHERE unindexed LIMIT $1) counted) AS search`,
			[]any{100_000}, func(r db.Row) { b = Backlog{r.Int("sends"), r.Int("files"), r.Int("search")} })
		return b, err
	})
}
