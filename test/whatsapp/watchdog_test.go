package whatsapp_test

import (
	"strings"
	"testing"
	"time"

	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestTheWatchdogWarnsAboutUnusualSilence(t *testing.T) {
	each(t, simulator.Options{}, func(t *testing.T, w *servertest.World, _ *simulator.Simulator) {
		made := w.A.Post(t, "/channels", theNumber).OK(201)
		id, _ := kernel.ParseID(made.ID())
		warning := func() string {
			t.Helper()
			if _, err := w.Desk.Channels.WatchSilence(t.Context()); err != nil {
				t.Fatal(err)
			}
			return w.A.Get(t, "/channels").OK(200).Text("data", 0, "warning", "message")
		}
		hear := func() {
			t.Helper()
			w.Desk.Channels.NoteCallback(w.A.ID, id)
			must(t, w.Desk.Channels.FlushCallbackActivity(t.Context()))
		}
		// Four days of a shop: a callback every half hour during the day, none for twelve hours at night.
		for range 4 {
			for range 24 {
				hear()
				w.Clock.Advance(30 * time.Minute)
			}
			w.Clock.Advance(12 * time.Hour)
		}
		hear()
		if got := warning(); got != "" {
			t.Fatalf("right after a callback: got the warning %q, want none", got)
		}
		t.Run("a usual night raises no warning", func(t *testing.T) {
			w.Clock.Advance(13 * time.Hour)
			testkit.Equal(t, "warning", warning(), "")
		})
		t.Run("a longer silence than any night raises one", func(t *testing.T) {
			w.Clock.Advance(6*time.Hour + time.Minute)
			if got := warning(); !strings.Contains(got, "19 hours") || !strings.Contains(got, "12 hours") {
				t.Fatalf("got the warning %q, want one with 19 hours and 12 hours", got)
			}
		})
		t.Run("a callback clears it, and the long silence does not count as usual", func(t *testing.T) {
			hear()
			testkit.Equal(t, "warning", warning(), "")
			w.Clock.Advance(19*time.Hour + time.Minute)
			if got := warning(); got == "" {
				t.Fatal("got no warning, want one")
			}
		})
		t.Run("a disconnected number raises no warning", func(t *testing.T) {
			w.A.Patch(t, "/channels/"+made.ID(), `{"status": "disconnected"}`).OK(200)
			testkit.Equal(t, "warning", warning(), "")
		})
	})
}
