package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// figure is a line of the output of web/bench/app.mjs.
type figure struct {
	Subject string  `json:"subject"`
	P50     float64 `json:"p50"`
	P95     float64 `json:"p95"`
	Max     float64 `json:"max"`
	Unit    string  `json:"unit"`
	Goal    string  `json:"goal"`
	Met     bool    `json:"met"`
}

// runApp measures the browser app in Chromium: the first load, lists and conversations of 10,000, and two browsers. It
// must run in the root of the repository.
func runApp(ctx context.Context, b *bench) error {
	if _, err := os.Stat("web/node_modules"); err != nil {
		fmt.Fprintln(os.Stderr, "  app: skipped, because its packages are not installed (make web/node_modules)")
		return nil
	}
	s, err := b.fresh(ctx)
	if err != nil {
		return err
	}
	script := exec.CommandContext(ctx, "scripts/with-chromium", "node", "web/bench/app.mjs")
	script.Env = append(os.Environ(), "RECADO_URL=http://"+s.address, "RECADO_DEMO="+filepath.Join(s.at.folder, "demo.json"))
	script.Stderr = os.Stderr
	out, err := script.StdoutPipe()
	if err != nil {
		return err
	}
	if err := script.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var f figure
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			return fmt.Errorf("reading %q: %w", lines.Text(), err)
		}
		b.addFigure(f)
	}
	return script.Wait()
}

// addFigure adds the row of a figure. Its p95 is in the column of ratios.
func (b *bench) addFigure(f figure) {
	show := func(value float64) string { return fmt.Sprintf("%.0f %s", value, f.Unit) }
	line := row{
		scenario: b.scenario, engine: b.engine, subject: strings.ReplaceAll(f.Subject, "|", "/"),
		p50: show(f.P50), max: show(f.Max), compared: "p95 " + show(f.P95),
	}
	line.setGoal(f.Goal, f.Met)
	b.report.rows = append(b.report.rows, line)
}
