package channels

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"recado/internal/jobs"
)

// Watchdog is the worker that finds connected WhatsApp numbers with an unusually long silence.
type Watchdog struct {
	Desk   *Channels
	Logger *slog.Logger

	unusual map[string]bool // channels at the last check
}

const watchEvery = 30 * time.Second

var (
	numberConnected = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "recado_whatsapp_connected",
		Help: "1 while a WhatsApp number is connected, 0 while it is not.",
	}, []string{"channel"})
	numberSilent = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "recado_whatsapp_silent",
		Help: "1 while a connected WhatsApp number has heard nothing for longer than its own history suggests.",
	}, []string{"channel"})
)

// Run checks until ctx ends.
func (w *Watchdog) Run(ctx context.Context) {
	jobs.Repeat(ctx, w.Logger, "watchdog", nil, watchEvery, func(ctx context.Context) (bool, error) { return false, w.step(ctx) })
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := w.Desk.FlushCallbackActivity(last); err != nil {
		w.Logger.Warn("cannot store the activity of callbacks", slog.Any("error", err))
	}
}

func (w *Watchdog) step(ctx context.Context) error {
	if err := w.Desk.FlushCallbackActivity(ctx); err != nil {
		return err
	}
	numbers, err := w.Desk.WatchSilence(ctx)
	if err != nil {
		return err
	}
	unusual := map[string]bool{}
	numberConnected.Reset()
	numberSilent.Reset()
	gauge := map[bool]float64{true: 1}
	for _, n := range numbers {
		channel := n.Channel.String()
		numberConnected.WithLabelValues(channel).Set(gauge[n.Connected])
		numberSilent.WithLabelValues(channel).Set(gauge[n.Unusual])
		if unusual[channel] = n.Unusual; n.Unusual && !w.unusual[channel] {
			w.Logger.Warn("a connected WhatsApp number has gone silent", slog.String("channel", channel))
		}
	}
	w.unusual = unusual
	return nil
}

// Collectors returns the metrics of this package.
func Collectors() []prometheus.Collector {
	return []prometheus.Collector{numberConnected, numberSilent}
}
