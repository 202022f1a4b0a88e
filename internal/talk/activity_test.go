package talk

import (
	"strings"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/test/testkit"
)

func TestAViewerWithoutReportsIsRemovedAfterTwentySeconds(t *testing.T) {
	clock := testkit.StillClock(time.Now())
	d := &Talk{Kernel: kernel.New(kernel.Options{Now: clock.Now})}
	var sent []string
	d.OnSignal(func(s kernel.Signal) { sent = append(sent, s.Kind+" "+string(s.Data)) })
	company := kernel.NewID()
	d.receive(kernel.NewSignal(signalActivity, company, kernel.Audience{Seeing: &kernel.Visibility{}}, activitySignal{
		Conversation: kernel.NewID(), User: kernel.Ref{ID: kernel.NewID(), Name: "Duda"}, Kind: ActivityViewing,
	}))
	if len(sent) != 1 || !strings.Contains(sent[0], `"name":"Duda"`) {
		t.Fatalf("after viewing: got %q, want the viewer", sent)
	}
	clock.Advance(19 * time.Second)
	d.ExpireViewers()
	if len(sent) != 1 {
		t.Errorf("after 19 seconds: got %q, want nothing more", sent[1:])
	}
	clock.Advance(time.Second)
	d.ExpireViewers()
	if len(sent) != 2 || !strings.Contains(sent[1], `"users":[]`) {
		t.Errorf("after 20 seconds: got %q, want no viewers", sent[1:])
	}
}
