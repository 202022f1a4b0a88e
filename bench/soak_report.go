package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"recado/bench/load"
)

// How much the last quarter may exceed the second one. Caches fill during the first.
const (
	levelMemory = 1.10
	levelHeap   = 4 << 20 // bytes in addition, because the time of a collection varies
	levelSize   = 16 << 20
	levelWait   = 1.5
	levelNoise  = 5 * time.Millisecond
	levelCount  = 10   // goroutines and files at the end, above the initial level
	minPace     = 0.98 // of the requests due
)

// verdict is the result of one check.
type verdict struct {
	holds bool
	text  string
}

func (k *soak) verdicts() []verdict {
	var all load.Result
	for _, one := range k.kinds {
		all.Add(&one.first)
		all.Add(&one.whole)
	}
	due := k.rate * (time.Duration(k.lines+1) * k.window).Seconds()
	toWhatsApp := k.succeeded("sends, WhatsApp")
	sent := toWhatsApp + k.succeeded("sends, sandbox")
	second, last := k.quarter(1), k.quarter(3)
	early, late := quantiles(second), quantiles(last)
	heap := func(s sample) int64 { return s.heap }
	resident := func(s sample) int64 { return s.resident }
	verdicts := []verdict{
		verdictOf(all.Errors == 0, "errors: %d of %d requests%s", all.Errors, all.Requests+all.Errors, because(all.FirstError)),
		verdictOf(float64(all.Requests+all.Errors) >= minPace*due,
			"pace: %d of %.0f requests due, on average", all.Requests+all.Errors, due),
		verdictOf(k.end.leftWaiting == "",
			"queues: empty %v after the load %s", k.end.drained.Round(100*time.Millisecond), k.end.leftWaiting),
		verdictOf(k.end.announced == sent && k.end.unverified == 0,
			"webhook: events of %d of %d sent messages; %d deliveries in all, %d with a wrong signature",
			k.end.announced, sent, k.end.deliveries, k.end.unverified),
		verdictOf(k.end.accepted == toWhatsApp, "WhatsApp: received %d of %d messages", k.end.accepted, toWhatsApp),
		verdictOf(k.end.last.goroutines <= k.rest.goroutines+levelCount, "goroutines: %d before, %d after (%v later)",
			k.rest.goroutines, k.end.last.goroutines, k.end.settled.Round(time.Second)),
		verdictOf(k.end.last.files <= k.rest.files+levelCount, "open files: %d before, %d after", k.rest.files, k.end.last.files),
		level("live heap", medianOf(second, heap), medianOf(last, heap), levelHeap),
		level("resident memory", medianOf(second, resident), medianOf(last, resident), levelSize),
		levelTime("p50", early[0], late[0]),
		levelTime("p99", early[1], late[1]),
		verdictOf(k.end.complaints == 0, "log: %d warnings and errors %s", k.end.complaints, k.end.firstInLog),
	}
	if k.engine == "postgres" {
		verdicts = append(verdicts, verdictOf(k.end.deadlocks == 0, "deadlocks: %d", k.end.deadlocks))
	}
	return verdicts
}

func verdictOf(holds bool, format string, args ...any) verdict {
	return verdict{holds, strings.TrimSpace(fmt.Sprintf(format, args...))}
}

func because(err error) string {
	if err == nil {
		return ""
	}
	return ", the first: " + err.Error()
}

func level(what string, second, last, noise int64) verdict {
	return verdictOf(float64(last) <= levelMemory*float64(second)+float64(noise),
		"%s: median %s in the second quarter, %s in the last", what, mebibytes(second), mebibytes(last))
}

func levelTime(what string, second, last time.Duration) verdict {
	return verdictOf(float64(last) <= max(levelWait*float64(second), float64(second+levelNoise)),
		"%s: %s in the second quarter, %s in the last", what, milliseconds(second), milliseconds(last))
}

// quarter returns the windows of the n-th quarter, from zero; at least one.
func (k *soak) quarter(n int) []minute {
	from := min(n*len(k.minutes)/4, len(k.minutes)-1)
	return k.minutes[from:max(from+1, (n+1)*len(k.minutes)/4)]
}

// quantiles returns the p50 and p99 of some windows.
func quantiles(minutes []minute) [2]time.Duration {
	var whole load.Histogram
	for _, m := range minutes {
		whole.Add(&m.result.Latency)
	}
	return [2]time.Duration{whole.Quantile(0.50), whole.Quantile(0.99)}
}

func medianOf(minutes []minute, value func(sample) int64) int64 {
	var values []int64
	for _, m := range minutes {
		for _, s := range m.samples {
			values = append(values, value(s))
		}
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// succeeded returns the number of successful requests of a kind, including the first window.
func (k *soak) succeeded(name string) int {
	kind := k.kinds[slices.IndexFunc(k.kinds, func(one *kind) bool { return one.name == name })]
	return kind.first.Requests + kind.whole.Requests
}

// report returns the text of the report and the failed checks.
func (k *soak) report(started time.Time, args []string) (text string, failed []string) {
	var out strings.Builder
	total := time.Duration(k.lines) * k.window
	fmt.Fprintf(&out, "Soak of Recado on %s: %.0f requests a second for %v\n\n", k.engine, k.rate, total)
	fmt.Fprintf(&out, "date      %s\n", started.UTC().Format("2006-01-02 15:04 MST"))
	fmt.Fprintf(&out, "command   go run ./bench soak %s\n", strings.Join(args, " "))
	fmt.Fprintf(&out, "binary    %s, %s\n", k.version(), runtime.Version())
	fmt.Fprintf(&out, "machine   %s; shared with the load, WhatsApp and the webhook receiver\n\n", machine())
	verdicts := k.verdicts()
	for _, v := range verdicts {
		mark := "ok    "
		if !v.holds {
			mark = "FAILED"
			failed = append(failed, v.text)
		}
		fmt.Fprintf(&out, "%s  %s\n", mark, v.text)
	}
	fmt.Fprintf(&out, "\nA line is %v of load; memory, goroutines and files are medians of its samples, queues are maxima.\n"+
		"Latencies count from the time a request was due. cpu is that of the server, in cores%s.\n\n", k.window, without(k.engine))
	k.writeMinutes(&out)
	fmt.Fprintf(&out, "\nAfter the first %v, which are not counted, and a rest: %s on disk, %d goroutines, %d files, live heap %s,\n"+
		"resident %s. After the load and a rest: %s, %d, %d, %s, %s.\n", k.window,
		mebibytes(k.rest.database), k.rest.goroutines, k.rest.files, mebibytes(k.rest.heap), mebibytes(k.rest.resident),
		mebibytes(k.end.last.database), k.end.last.goroutines, k.end.last.files,
		mebibytes(k.end.last.heap), mebibytes(k.end.last.resident))
	fmt.Fprintf(&out, "Readers of the event stream, a new one for each line, received %d events.\n\n", k.end.followed)
	k.writeKinds(&out)
	return out.String(), failed
}

func without(engine string) string {
	if engine == "sqlite" {
		return ""
	}
	return ", without PostgreSQL"
}

func (k *soak) writeMinutes(out *strings.Builder) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "n\trequests\terrors\tp50 ms\tp99 ms\tmax ms\tcpu\tresident MiB\tlive heap MiB\tgoroutines\tfiles\t"+
		"database MiB\tdeliveries due\tsends\tto index\t")
	for n, m := range k.minutes {
		one := []minute{m}
		median := func(value func(sample) int64) int64 { return medianOf(one, value) }
		most := func(value func(sample) int) (largest int) {
			for _, s := range m.samples {
				largest = max(largest, value(s))
			}
			return largest
		}
		latency := &m.result.Latency
		fmt.Fprintf(table, "%d\t%d\t%d\t%s\t%s\t%s\t%.2f\t%s\t%s\t%d\t%d\t%s\t%d\t%d\t%d\t\n", n+1, m.result.Requests, m.result.Errors,
			plainTime(latency.Quantile(0.50)), plainTime(latency.Quantile(0.99)), plainTime(latency.Max()),
			m.cpu.Seconds()/k.window.Seconds(),
			plainSize(median(func(s sample) int64 { return s.resident })), plainSize(median(func(s sample) int64 { return s.heap })),
			median(func(s sample) int64 { return int64(s.goroutines) }), median(func(s sample) int64 { return int64(s.files) }),
			plainSize(m.samples[len(m.samples)-1].database),
			most(func(s sample) int { return s.due }), most(func(s sample) int { return s.sends }),
			most(func(s sample) int { return s.search }))
	}
	table.Flush()
}

func (k *soak) writeKinds(out *strings.Builder) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "kind\tshare\trequests\terrors\tp50 ms\tp99 ms\tmax ms\t")
	for _, one := range k.kinds {
		latency := &one.whole.Latency
		fmt.Fprintf(table, "%s\t%.0f %%\t%d\t%d\t%s\t%s\t%s\t\n", one.name, one.percent, one.whole.Requests, one.whole.Errors,
			plainTime(latency.Quantile(0.50)), plainTime(latency.Quantile(0.99)), plainTime(latency.Max()))
	}
	table.Flush()
}

// plainTime and plainSize omit the unit, which is in the heading of the column.
func plainTime(d time.Duration) string { return strings.TrimSuffix(milliseconds(d), " ms") }

func plainSize(n int64) string { return strings.TrimSuffix(mebibytes(n), " MiB") }

func (k *soak) version() string {
	out, err := exec.Command(k.binary, "version").Output()
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(out))
}

// machine describes the machine.
func machine() string {
	text := fmt.Sprintf("%d cores", runtime.NumCPU())
	if content, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kib int64
		if _, err := fmt.Sscanf(string(content), "MemTotal: %d kB", &kib); err == nil {
			text += ", " + mebibytes(kib<<10)
		}
	}
	if content, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(content)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				return text + ", " + strings.TrimSpace(value)
			}
		}
	}
	return text
}
