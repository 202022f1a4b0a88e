package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// profiling records what the process does from now on for a while, where -profile asks for it: its processor time and
// its allocations, in two files that go tool pprof reads. wait ends when they are written. A subject is recorded once.
func (b *bench) profiling(ctx context.Context, p *process, subject string, d time.Duration) (wait func() error) {
	name := unnamed.ReplaceAllString(b.scenario+"-"+b.engine+"-"+subject, "-")
	if b.profiles == "" || p == nil || p.debug == "" || b.profiled[name] {
		return func() error { return nil }
	}
	if b.profiled == nil {
		b.profiled = map[string]bool{}
	}
	b.profiled[name] = true
	failed := make(chan error, 2)
	for file, page := range map[string]string{"cpu": "profile", "allocs": "allocs"} {
		go func() {
			address := fmt.Sprintf("http://%s/debug/pprof/%s?seconds=%d", p.debug, page, max(1, int(d.Seconds())))
			failed <- download(ctx, address, filepath.Join(b.profiles, name+"-"+file+".pprof"))
		}()
	}
	return func() error { return errors.Join(<-failed, <-failed) }
}

// unnamed is what a file name should not hold.
var unnamed = regexp.MustCompile(`[^A-Za-z0-9]+`)

func download(ctx context.Context, address, file string) (err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", address, response.Status)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, response.Body)
	return errors.Join(err, out.Close())
}
