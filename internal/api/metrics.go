package api

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// calls counts and times the operations of the table, by route and never by path.
var calls = prometheus.NewHistogramVec(prometheus.HistogramOpts{
	Name:    "recado_api_call_seconds",
	Help:    "Time taken by API calls, by route and status class.",
	Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
}, []string{"method", "route", "status"})

// Collectors are the metrics of this package, for the operator's registry.
func Collectors() []prometheus.Collector { return []prometheus.Collector{calls} }

func observe(r *Route, status int, took time.Duration) {
	calls.WithLabelValues(r.Method, r.Path, strconv.Itoa(status/100)+"xx").Observe(took.Seconds())
}
