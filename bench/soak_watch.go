package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// sample is the state of the server at one time.
type sample struct {
	resident   int64 // bytes
	heap       int64 // bytes live at the last collection
	goroutines int
	files      int
	database   int64 // bytes on disk
	due        int   // deliveries
	sends      int
	search     int // texts to index
	fetches    int // files to fetch
}

func (s sample) waiting() int { return s.due + s.sends + s.search + s.fetches }

// watch samples the server six times per window.
func (k *soak) watch(ctx context.Context, over <-chan struct{}) (samples []sample, err error) {
	tick := time.NewTicker(k.window / 6)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			now, err := k.sample(ctx)
			if err != nil {
				return samples, err
			}
			samples = append(samples, now)
		case <-over:
			if len(samples) == 0 {
				now, err := k.sample(ctx)
				return []sample{now}, err
			}
			return samples, nil
		}
	}
}

func (k *soak) sample(ctx context.Context) (s sample, err error) {
	metrics, err := k.server.scrape(ctx)
	if err != nil {
		return s, err
	}
	for name, into := range map[string]*int{
		"go_goroutines": &s.goroutines, "process_open_fds": &s.files, "recado_webhook_deliveries_due": &s.due,
		`recado_waiting{kind="sends"}`: &s.sends, `recado_waiting{kind="search"}`: &s.search,
		`recado_waiting{kind="files"}`: &s.fetches,
	} {
		value, ok := metrics[name]
		if !ok {
			return s, fmt.Errorf("the metric %s is missing", name)
		}
		*into = int(value)
	}
	s.resident, s.heap = int64(metrics["process_resident_memory_bytes"]), int64(metrics["go_gc_heap_live_bytes"])
	if s.heap == 0 || s.resident == 0 {
		return s, fmt.Errorf("the metrics of the memory are missing")
	}
	s.database, err = k.databaseSize(ctx)
	return s, err
}

// scrape returns the metrics by name and labels.
func (p *process) scrape(ctx context.Context) (map[string]float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.metrics+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	metrics := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.HasPrefix(line, "#") {
			if n, err := strconv.ParseFloat(value, 64); err == nil {
				metrics[name] = n
			}
		}
	}
	return metrics, nil
}

// databaseSize returns the size on disk, on SQLite including the write-ahead log.
func (k *soak) databaseSize(ctx context.Context) (size int64, err error) {
	if k.server.at.database != "" {
		return k.queryInt(ctx, k.server.at, "SELECT pg_database_size(current_database())")
	}
	for _, name := range []string{"recado.db", "recado.db-wal"} {
		info, err := os.Stat(filepath.Join(k.server.at.folder, name))
		if err != nil {
			return 0, err
		}
		size += info.Size()
	}
	return size, nil
}

// follow reads the event stream until ctx is done and returns the number of events.
func (k *soak) follow(ctx context.Context) (events int) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+k.server.address+"/v1/events/stream", nil)
	if err != nil {
		return 0
	}
	request.Header.Set("Authorization", k.server.bearer())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if bytes.HasPrefix(lines.Bytes(), []byte("data:")) {
			events++
		}
	}
	return events
}

// readLog counts the warnings and errors in the log.
func (k *soak) readLog() error {
	content, err := os.ReadFile(k.server.log)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(content)) {
		if strings.Contains(line, `"level":"WARN"`) || strings.Contains(line, `"level":"ERROR"`) || strings.HasPrefix(line, "panic") {
			if k.end.complaints++; k.end.complaints == 1 {
				k.end.firstInLog = strings.TrimSpace(line)
			}
		}
	}
	return nil
}
