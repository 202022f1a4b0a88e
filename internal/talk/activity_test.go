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

func TestAMemberIsFocusedWhileViewingAnyConversation(t *testing.T) {
	clock := testkit.StillClock(time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC))
	d := &Talk{Kernel: kernel.New(kernel.Options{Now: clock.Now})}
	company, member, first, second := kernel.NewID(), kernel.NewID(), kernel.NewID(), kernel.NewID()
	report := func(conversation kernel.ID, kind string) {
		d.receive(kernel.NewSignal(signalActivity, company, kernel.Audience{Seeing: &kernel.Visibility{}}, activitySignal{
			Conversation: conversation, User: kernel.Ref{ID: member, Name: "Duda"}, Kind: kind,
		}))
	}
	want := func(when string, focused bool) {
		t.Helper()
		testkit.Diff(t, when, d.IsFocused(company, member), focused)
	}
	want("at first", false)
	report(first, ActivityViewing)
	report(second, ActivityViewing)
	testkit.Diff(t, "another member", d.IsFocused(company, kernel.NewID()), false)
	testkit.Diff(t, "in another company", d.IsFocused(kernel.NewID(), member), false)
	report(first, ActivityLeft)
	want("after leaving one of two", true)
	clock.Advance(15 * time.Second)
	report(second, ActivityTyping)
	clock.Advance(15 * time.Second)
	want("while typing", true)
	clock.Advance(5 * time.Second)
	want("after 20 seconds", false)
	report(second, ActivityViewing)
	report(second, ActivityLeft)
	want("after leaving", false)
	d.ExpireViewers()
	testkit.Diff(t, "members stored", len(d.activities.focused), 0)
}
