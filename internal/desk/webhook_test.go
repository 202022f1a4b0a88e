package desk

import (
	"testing"

	"recado/internal/model"
)

func TestASignalIsTakenBackWithTheWebhooksThatItAnnounced(t *testing.T) {
	d := New(Options{})
	signal := d.System().Wakeups().Deliver.C
	d.announce(model.NewID())
	<-signal
	d.announce(model.NewID()) // before the loop asks what the first signal was about
	if due := d.System().TakeDue(); len(due.Here) != 2 || due.All {
		t.Errorf("got %+v, want the two webhooks alone", due)
	}
	select {
	case <-signal:
		t.Error("the second signal is still there, and would have all webhooks looked at")
	default:
	}
	if due := d.System().TakeDue(); !due.All {
		t.Errorf("got %+v for a signal that names no webhook, want all", due)
	}
}
