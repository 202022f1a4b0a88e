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

// profiling records CPU and allocation profiles of the process if -profile is set, once per subject. wait returns when
// the files are written.
func (b *bench) profiling(ctx context.Context, p *process, subject string, d time.Duration) (wait func() error) {
	name := notInName.ReplaceAllString(b.scenario+"-"+b.engine+"-"+subject, "-")
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

var notInName = regexp.MustCompile(`[^A-Za-z0-9]+`)

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
		return fmt.Errorf("%s returns %s", address, response.Status)
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
