package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/pprof"
	"regexp"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"recado/internal/blob"
	"recado/internal/channels"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/push"
)

func (s *Server) serveMetrics() error {
	if s.config.MetricsAddr == "" {
		return nil
	}
	registry := prometheus.NewRegistry()
	// The live heap distinguishes a leak from garbage that is not collected yet.
	live := collectors.WithGoCollectorRuntimeMetrics(
		collectors.GoRuntimeMetricsRule{Matcher: regexp.MustCompile(`^/gc/heap/live:bytes$`)})
	registry.MustRegister(collectors.NewGoCollector(live), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	registry.MustRegister(httpserver.Collectors()...)
	registry.MustRegister(channels.Collectors()...)
	registry.MustRegister(s.deliver.Collectors()...)
	registry.MustRegister(push.Collectors()...)
	registry.MustRegister(waitingCollector{s.Desk})
	registry.MustRegister(buildInfo(s.config.Version))
	if dir := s.storageDir(); dir != "" {
		registry.MustRegister(freeSpace(dir))
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return s.serveInside("metrics", s.config.MetricsAddr, "/metrics", mux)
}

// buildInfo returns a metric with the versions as labels.
func buildInfo(version string) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "recado_build_info", Help: "1, with the version of Recado and of Go as labels.",
		ConstLabels: prometheus.Labels{"version": cmp.Or(version, "development"), "goversion": runtime.Version()},
	}, func() float64 { return 1 })
}

// freeSpace returns a metric of the data disk.
func freeSpace(dir string) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "recado_data_free_bytes", Help: "Free bytes on the disk of the data folder.",
	}, func() float64 {
		free, err := blob.Free(dir)
		if err != nil {
			return math.NaN()
		}
		return float64(free)
	})
}

// serveDebug serves the profiles of the process. They reveal its memory and cost time, so they have a separate address, which is
// off by default.
func (s *Server) serveDebug() error {
	if s.config.DebugAddr == "" {
		return nil
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	return s.serveInside("profiles", s.config.DebugAddr, "/debug/pprof/", mux)
}

// serveInside serves a handler for operators at a separate address.
func (s *Server) serveInside(what, addr, path string, handler http.Handler) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("cannot listen for %s on %s: %w", what, addr, err)
	}
	s.config.Logger.Info(what, slog.String("address", "http://"+l.Addr().String()+path))
	h := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	s.inside = append(s.inside, h)
	go func() {
		if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	}()
	return nil
}

func (s *Server) closeInside() error {
	var err error
	for _, h := range s.inside {
		err = errors.Join(err, h.Close())
	}
	return err
}

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
	figures, err := kernel.ReadOne(ctx, w.desk.Kernel, func(tx *kernel.Tx) (map[string]int64, error) {
		figures := map[string]int64{}
		_, err := tx.One(`
			SELECT /* all companies: figures for the operator */
				(SELECT COUNT(*) FROM (SELECT 1 AS one FROM sends LIMIT $1) counted) AS sends,
				(SELECT COUNT(*) FROM (SELECT 1 AS one FROM media WHERE fetch_at IS NOT NULL LIMIT $1) counted) AS files,
				(SELECT COUNT(*) FROM (SELECT 1 AS one FROM conversations WHERE unindexed LIMIT $1) counted) +
				(SELECT COUNT(*) FROM (SELECT 1 AS one FROM contacts WHERE unindexed LIMIT $1) counted) +
				(SELECT COUNT(*) FROM (SELECT 1 AS one FROM cards WHERE unindexed LIMIT $1) counted) AS search`,
			[]any{100_000}, func(r db.Row) {
				for _, kind := range []string{"sends", "files", "search"} {
					figures[kind] = r.Int(kind)
				}
			})
		return figures, err
	})
	if err != nil {
		return
	}
	for kind, n := range figures {
		ch <- prometheus.MustNewConstMetric(waitingDesc, prometheus.GaugeValue, float64(n), kind)
	}
}
