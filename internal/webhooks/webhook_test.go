package webhooks

import (
	"testing"

	"recado/internal/kernel"
	"recado/internal/people"
)

func TestASignalIsTakenBackWithTheWebhooksThatItAnnounced(t *testing.T) {
	d := New(people.New(kernel.New(kernel.Options{}), people.PasswordCost{}), Options{})
	signal := d.Wakeup(WakeDeliver).C
	d.announce(kernel.NewID(), kernel.NewID())
	<-signal
	d.announce(kernel.NewID(), kernel.NewID()) // before the loop asks what the first signal was about
	if due := d.TakeDue(); len(due.Here) != 2 || due.All {
		t.Errorf("got %+v, want the two webhooks alone", due)
	}
	select {
	case <-signal:
		t.Error("the second signal is still there, and would have all webhooks looked at")
	default:
	}
	if due := d.TakeDue(); !due.All {
		t.Errorf("got %+v for a signal that names no webhook, want all", due)
	}
}
