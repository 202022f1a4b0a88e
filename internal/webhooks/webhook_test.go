package webhooks

import (
	"testing"

	"recado/internal/kernel"
	"recado/internal/people"
)

func TestTakingTheDueWebhooksTakesBackTheirSignals(t *testing.T) {
	d := New(people.New(kernel.New(kernel.Options{}), people.PasswordCost{}), Options{})
	signal := d.Wakeup(WakeDeliver).C
	d.announce(kernel.NewID(), kernel.NewID())
	<-signal
	d.announce(kernel.NewID(), kernel.NewID()) // before the loop handles the first signal
	if due := d.TakeDue(); len(due.Here) != 2 || due.All {
		t.Errorf("got %+v, want only the two webhooks", due)
	}
	select {
	case <-signal:
		t.Error("the second signal is still there and would make the loop check all webhooks")
	default:
	}
	if due := d.TakeDue(); !due.All {
		t.Errorf("got %+v for a signal that names no webhook, want all", due)
	}
}
