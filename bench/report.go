package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// report prints rows as a Markdown table for README.md.
type report struct {
	command []string
	started time.Time
	rows    []row
}

// row is one line. Empty cells are printed as a dash.
type row struct {
	scenario, engine, subject   string
	rate, p50, p99, max, errors string
	memory, cpu, compared, goal string
	missed                      bool
}

func newReport(command []string) *report {
	return &report{command: command, started: time.Now()}
}

// add adds the rows of a comparison of our outcome with references. goal is the minimum ratio to the first reference, or
// 0.
func (b *bench) add(goal float64, ours outcome, references ...outcome) {
	line := b.row(&ours)
	var compared []string
	for i := range references {
		ratio := ours.ratio(&references[i])
		compared = append(compared, fmt.Sprintf("%.2f of %s", ratio, references[i].name))
		if i == 0 && goal > 0 {
			line.setGoal(fmt.Sprintf("at least %.2f", goal), ratio >= goal)
		}
	}
	line.compared = strings.Join(compared, ", ")
	b.report.rows = append(b.report.rows, line)
	b.logErrors(&ours)
	for _, o := range references {
		b.report.rows = append(b.report.rows, b.row(&o))
		b.logErrors(&o)
	}
}

func (b *bench) logErrors(o *outcome) {
	if o.result.Errors > 0 {
		fmt.Fprintf(os.Stderr, "  %s: %d errors, the first: %v\n", o.name, o.result.Errors, o.result.FirstError)
	}
}

// addRate adds the row of an outcome with a minimum rate, or 0.
func (b *bench) addRate(o outcome, least float64) {
	line := b.row(&o)
	if least > 0 {
		line.setGoal(fmt.Sprintf("at least %.0f a second", least), o.result.Rate() >= least)
	}
	b.report.rows = append(b.report.rows, line)
	b.logErrors(&o)
}

// addLatency adds the row of an outcome with maximum latencies.
func (b *bench) addLatency(o outcome, p50, p99 time.Duration) {
	line := b.row(&o)
	met := o.result.Latency.Quantile(0.50) < p50 && o.result.Latency.Quantile(0.99) < p99
	line.setGoal(fmt.Sprintf("p50 under %s, p99 under %s", milliseconds(p50), milliseconds(p99)), met)
	b.report.rows = append(b.report.rows, line)
}

// addBeside adds two rows and the median ratio of their p99, with a maximum.
func (b *bench) addBeside(ours, reference outcome, most float64) {
	line := b.row(&ours)
	times := ours.slowness(&reference)
	line.compared = fmt.Sprintf("p99 %.2f times that of %s", times, reference.name)
	line.setGoal(fmt.Sprintf("at most %.1f times", most), times <= most)
	b.report.rows = append(b.report.rows, line, b.row(&reference))
}

// addMemory adds a row with the memory only. most is the maximum in bytes, or 0.
func (b *bench) addMemory(subject string, bytes, most int64) {
	line := row{scenario: b.scenario, engine: b.engine, subject: subject, memory: mebibytes(bytes)}
	if most > 0 {
		line.setGoal("under "+mebibytes(most), bytes > 0 && bytes < most)
	}
	b.report.rows = append(b.report.rows, line)
}

func (b *bench) row(o *outcome) row {
	line := row{
		scenario: b.scenario, engine: b.engine, subject: o.name,
		rate: fmt.Sprintf("%.0f", o.result.Rate()),
	}
	if o.result.Latency.Count() > 0 {
		line.p50 = milliseconds(o.result.Latency.Quantile(0.50))
		line.p99 = milliseconds(o.result.Latency.Quantile(0.99))
		line.max = milliseconds(o.result.Latency.Max())
		line.errors = fmt.Sprint(o.result.Errors)
	}
	if o.memory > 0 {
		line.memory = mebibytes(o.memory)
	}
	if o.cpu > 0 {
		line.cpu = fmt.Sprintf("%.1f µs", float64(o.cpu.Microseconds())/float64(o.result.Requests))
	}
	return line
}

func (r *row) setGoal(text string, met bool) {
	r.missed = !met
	if met {
		r.goal = text + ": met"
	} else {
		r.goal = text + ": **missed**"
	}
}

func (r *report) missed() []string {
	var missed []string
	for _, line := range r.rows {
		if line.missed {
			missed = append(missed, line.scenario+" on "+line.engine)
		}
	}
	return missed
}

func (r *report) String() string {
	table := [][]string{{
		"scenario", "engine", "subject", "per second", "p50", "p99", "max", "errors", "memory", "cpu each", "ratio", "goal",
	}}
	for _, l := range r.rows {
		table = append(table, []string{
			l.scenario, l.engine, l.subject, l.rate, l.p50, l.p99, l.max, l.errors, l.memory, l.cpu, l.compared, l.goal,
		})
	}
	widths := make([]int, len(table[0]))
	for _, cells := range table {
		for i, cell := range cells {
			if cell == "" {
				cells[i] = "-"
			}
			widths[i] = max(widths[i], len([]rune(cells[i])))
		}
	}

	var text strings.Builder
	fmt.Fprintf(&text, "%s, %s, %d cores shared with the load, %s\n\n",
		r.started.UTC().Format("2006-01-02 15:04 MST"), runtime.Version(), runtime.NumCPU(), strings.Join(r.command, " "))
	for n, cells := range table {
		writeLine(&text, cells, widths)
		if n == 0 {
			rule := make([]string, len(cells))
			for i := range rule {
				rule[i] = strings.Repeat("-", widths[i])
			}
			writeLine(&text, rule, widths)
		}
	}
	return text.String()
}

func writeLine(text *strings.Builder, cells []string, widths []int) {
	for i, cell := range cells {
		text.WriteString("| " + cell + strings.Repeat(" ", widths[i]-len([]rune(cell))) + " ")
	}
	text.WriteString("|\n")
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}

func mebibytes(n int64) string {
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
