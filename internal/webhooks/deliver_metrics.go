package webhooks

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	inFlight = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "recado_webhook_requests_in_flight", Help: "Webhook requests in progress on this node.",
	})
	attempts = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "recado_webhook_attempts_total", Help: "Attempts at deliveries by this node, by result: ok or failed.",
	}, []string{"result"})
	finished = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "recado_webhook_deliveries_total", Help: "Deliveries that became final on this node, by status: delivered or failed.",
	}, []string{"status"})
	attemptSeconds = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "recado_webhook_attempt_seconds", Help: "Response time of webhook receivers.",
		Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	})

	dueNow = prometheus.NewDesc("recado_webhook_deliveries_due",
		"Deliveries that are due and not final, on all nodes; counted up to 100000.", nil, nil)
	oldestDue = prometheus.NewDesc("recado_webhook_oldest_due_seconds",
		"How long the oldest due delivery has been waiting.", nil, nil)
	addresses = prometheus.NewDesc("recado_webhooks",
		"Registered addresses by state: healthy, failing (its last delivery failed permanently), inactive.", []string{"state"}, nil)
	// Dashboards depend on the names of this metric and of its states.
	leasesNow = prometheus.NewDesc("recado_webhook_lanes",
		"Addresses this node is working for, by state: answering, or shy (new, or its last request failed or took longer than a "+
			"second).", []string{"state"}, nil)
)

// Collectors returns the metrics of deliveries.
func (d *Deliver) Collectors() []prometheus.Collector {
	return []prometheus.Collector{inFlight, attempts, finished, attemptSeconds, d}
}

// Describe implements prometheus.Collector for the metrics that Collect reads.
func (d *Deliver) Describe(ch chan<- *prometheus.Desc) {
	ch <- dueNow
	ch <- oldestDue
	ch <- addresses
	ch <- leasesNow
}

// Collect reads metrics from the database. It leaves out those that take longer than five seconds.
func (d *Deliver) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	if n, oldest, err := d.Desk.DueCount(ctx); err == nil {
		gauge(dueNow, float64(n))
		gauge(oldestDue, oldest.Seconds())
	}
	if c, err := d.Desk.WebhookCounts(ctx); err == nil {
		gauge(addresses, float64(c.Healthy), "healthy")
		gauge(addresses, float64(c.Failing), "failing")
		gauge(addresses, float64(c.Inactive), "inactive")
	}
	proven, unproven := d.states()
	gauge(leasesNow, float64(proven), "answering")
	gauge(leasesNow, float64(unproven), "shy")
}

// states counts the webhooks with work on this node.
func (d *Deliver) states() (proven, unproven int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for w := range d.webhooks {
		w.mu.Lock()
		if w.limit.unproven() {
			unproven++
		} else {
			proven++
		}
		w.mu.Unlock()
	}
	return proven, unproven
}

func countOutcome(o Outcome) {
	switch {
	case o.OK:
		attempts.WithLabelValues("ok").Inc()
	case !o.Withheld:
		attempts.WithLabelValues("failed").Inc()
	}
	if o.Status != DeliveryPending {
		finished.WithLabelValues(o.Status).Inc()
	}
}
