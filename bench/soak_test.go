package main

import (
	"strings"
	"testing"
	"time"
)

func TestTheSoakDetectsGrowth(t *testing.T) {
	steady := func() *soak {
		k := &soak{
			bench: &bench{engine: "postgres"}, rate: 100, window: time.Second, lines: 8,
			kinds: []*kind{{name: "sends, sandbox"}, {name: "sends, WhatsApp"}},
		}
		for range k.lines {
			m := minute{samples: []sample{{resident: 100 << 20, heap: 20 << 20}}}
			for range 100 {
				m.result.Latency.Record(10 * time.Millisecond)
			}
			k.minutes = append(k.minutes, m)
		}
		k.kinds[0].whole.Requests, k.kinds[1].whole.Requests = 800, 100
		k.end.announced, k.end.accepted = 900, 100
		return k
	}
	for name, spoil := range map[string]func(k *soak){
		"":           func(*soak) {},
		"errors":     func(k *soak) { k.kinds[0].whole.Errors = 1 },
		"pace":       func(k *soak) { k.rate = 110 },
		"queues":     func(k *soak) { k.end.leftWaiting = "3 deliveries" },
		"webhook":    func(k *soak) { k.end.announced-- },
		"WhatsApp":   func(k *soak) { k.end.accepted++ },
		"goroutines": func(k *soak) { k.end.last.goroutines = levelCount + 1 },
		"open files": func(k *soak) { k.end.last.files = levelCount + 1 },
		"deadlocks":  func(k *soak) { k.end.deadlocks = 1 },
		"log":        func(k *soak) { k.end.complaints = 1 },
		"live heap": func(k *soak) {
			for i := range k.minutes {
				k.minutes[i].samples[0].heap += int64(i) * 3 << 20
			}
		},
		"resident memory": func(k *soak) {
			for i := range k.minutes {
				k.minutes[i].samples[0].resident += int64(i) * 14 << 20
			}
		},
		"p99": func(k *soak) {
			for range 3 {
				k.minutes[7].result.Latency.Record(100 * time.Millisecond)
			}
		},
	} {
		t.Run("problem with: "+name, func(t *testing.T) {
			k := steady()
			spoil(k)
			var failed []string
			for _, v := range k.verdicts() {
				if subject, _, _ := strings.Cut(v.text, ":"); !v.holds {
					failed = append(failed, subject)
				}
			}
			if got := strings.Join(failed, ", "); got != name {
				t.Errorf("failed: got %q, want %q", got, name)
			}
		})
	}
}
