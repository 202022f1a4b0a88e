package talk

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/test/testkit"
)

// line is a WhatsApp channel of a fixture whose queue a test works off by hand.
type line struct {
	*office
	d       *Talk
	channel channels.Channel
	me      kernel.ID
	lease   kernel.Lease
}

const testLease = time.Minute

func eachLine(t *testing.T, body func(t *testing.T, l *line)) {
	eachOffice(t, func(t *testing.T, o *office) {
		l := &line{office: o, d: o.nodes[0], me: kernel.NewID()}
		l.channel = o.number(t)
		l.take(t)
		body(t, l)
	})
}

func (l *line) take(t *testing.T) {
	t.Helper()
	lease, taken, err := l.d.TakeSendLease(t.Context(), l.company.ID, l.channel.ID, l.me, testLease)
	if err != nil || !taken {
		t.Fatalf("want err == nil and taken; got %+v, %+v", taken, err)
	}
	l.lease = lease
}

// from lets a customer write and gives the conversation.
func (l *line) from(t *testing.T, phone string, at time.Time) kernel.ID {
	t.Helper()
	l.receive(t, provider.Incoming{Message: &provider.IncomingMessage{ExternalID: "in." + kernel.NewID().String(), Customer: provider.Person{WAID: phone}, Type: "text", Text: "hi", At: at}})
	list, err := l.d.Conversations(t.Context(), l.owner, conversationCriteria{Q: phone, Limit: 1}, "")
	if err != nil {
		t.Fatalf("want err == nil; got %+v, %+v", list, err)
	}
	testkit.Equal(t, "number of list.Data", len(list.Data), 1)
	return list.Data[0].ID
}

func (l *line) receive(t *testing.T, items ...provider.Incoming) {
	t.Helper()
	if err := l.d.Receive(t.Context(), l.channel.Company, l.channel.ID, items); err != nil {
		t.Fatal(err)
	}
}

func (l *line) send(t *testing.T, conversation kernel.ID, text string) *Message {
	t.Helper()
	m, _, err := l.d.SendMessage(t.Context(), l.owner, conversation, NewMessage{ClientID: kernel.NewID(), Text: &text})
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "m.Status", m.Status, provider.StatusQueued)
	if m.ExternalID != nil {
		t.Fatalf("want m.ExternalID == nil; got %+v", m)
	}
	return m
}

// step reports what came of jobs and takes new ones.
func (l *line) step(t *testing.T, done ...SendDone) ClaimedSends {
	t.Helper()
	step, err := l.d.SendStep(t.Context(), l.company.ID, l.lease, l.me, testLease, done, 16)
	if err != nil {
		t.Fatal(err)
	}
	return step
}

func (l *line) now(t *testing.T, id kernel.ID) *Message {
	t.Helper()
	m, err := l.d.Message(t.Context(), l.owner, id)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sentEvents counts message.sent of a message.
func (l *line) sentEvents(t *testing.T, id kernel.ID) int {
	t.Helper()
	n := 0
	for _, body := range sentEvents(t, l.d.Store, l.company.ID) {
		if strings.Contains(body, `"message":{"id":"`+id.String()) {
			n++
		}
	}
	return n
}

func ok(job SendJob, external string) SendDone {
	return SendDone{Job: job, Result: provider.SendResult{ExternalID: external}}
}

func TestTheQueueOfAChannel(t *testing.T) {
	eachLine(t, func(t *testing.T, l *line) {
		now := time.Now()
		ana, bia := l.from(t, "5511987650001", now), l.from(t, "5511987650002", now)

		t.Run("order is kept within a conversation, and conversations do not wait for each other", func(t *testing.T) {
			a1, a2, b1 := l.send(t, ana, "a1"), l.send(t, ana, "a2"), l.send(t, bia, "b1")
			step := l.step(t)
			testkit.Equal(t, "number of step.Jobs", len(step.Jobs), 2)
			if step.Jobs[0].Out.Text+step.Jobs[1].Out.Text != "a1b1" && step.Jobs[0].Out.Text+step.Jobs[1].Out.Text != "b1a1" {
				t.Fatalf(`want not (step.Jobs[0].Out.Text+step.Jobs[1].Out.Text != "a1b1" && step.Jobs[0].Out.Text+step.Jobs[1].Out.Text != "b1a1"); got %+v`, step.Jobs)
			}
			if again := l.step(t); len(again.Jobs) != 0 {
				t.Fatalf("a second message of a conversation is under way: %+v", again.Jobs)
			}
			first := step.Jobs[0]
			if first.Out.Text != "a1" {
				first = step.Jobs[1]
			}
			testkit.Equal(t, "first.Out.ClientID", first.Out.ClientID, a1.ID.String())
			testkit.Equal(t, "first.Out.To.WAID", first.Out.To.WAID, "5511987650001")
			testkit.Equal(t, "first.Out.To.Phone", first.Out.To.Phone, "+5511987650001")
			step = l.step(t, ok(step.Jobs[0], "wa."+step.Jobs[0].Out.Text), ok(step.Jobs[1], "wa."+step.Jobs[1].Out.Text))
			testkit.Equal(t, "number of step.Jobs", len(step.Jobs), 1)
			testkit.Equal(t, "step.Jobs[0].Out.Text", step.Jobs[0].Out.Text, "a2")
			if m := l.now(t, a1.ID); m.Status != provider.StatusSent || *m.ExternalID != "wa.a1" || m.SentAt == nil {
				t.Fatalf(`l.now(t, a1.ID): want m.Status == model.StatusSent and *m.ExternalID == "wa.a1" and m.SentAt != nil; got %+v`, m)
			}
			l.step(t, ok(step.Jobs[0], "wa.a2"))
			for _, m := range []*Message{a1, a2, b1} {
				if n := l.sentEvents(t, m.ID); n != 1 {
					t.Errorf("message.sent %d times", n)
				}
			}
		})

		t.Run("a refusal fails the message and the next one goes", func(t *testing.T) {
			bad, good := l.send(t, ana, "bad"), l.send(t, ana, "good")
			step := l.step(t)
			step = l.step(t, SendDone{Job: step.Jobs[0], Err: &provider.SendError{Code: "not_on_whatsapp", Message: "No."}})
			if m := l.now(t, bad.ID); m.Status != provider.StatusFailed || m.Error.Code != "not_on_whatsapp" || l.sentEvents(t, bad.ID) != 0 {
				t.Fatalf(`l.now(t, bad.ID): want m.Status == model.StatusFailed and m.Error.Code == "not_on_whatsapp" and l.sentEvents(t, bad.ID) == 0; got %+v`, m)
			}
			testkit.Equal(t, "number of step.Jobs", len(step.Jobs), 1)
			testkit.Equal(t, "step.Jobs[0].Out.ClientID", step.Jobs[0].Out.ClientID, good.ID.String())
			l.step(t, ok(step.Jobs[0], "wa.good"))
		})

		t.Run("what certainly did not go out is tried again later, before what follows it", func(t *testing.T) {
			l.send(t, ana, "slow")
			l.send(t, ana, "behind")
			step := l.step(t)
			step = l.step(t, SendDone{Job: step.Jobs[0], Err: &provider.SendError{Code: "rate_limited", Message: "Later.", Retry: true, RetryAfter: time.Hour}})
			testkit.Equal(t, "number of step.Jobs", len(step.Jobs), 0)
			if step.Next == nil {
				t.Fatalf("want step.Next != nil; got %+v", step)
			}
			if time.Until(*step.Next) < 50*time.Minute {
				t.Fatalf("want time.Until(*step.Next) >= 50*time.Minute; got %+v", step)
			}
			l.due(t)
			step = l.step(t)
			testkit.Equal(t, "number of step.Jobs", len(step.Jobs), 1)
			testkit.Equal(t, "step.Jobs[0].Out.Text", step.Jobs[0].Out.Text, "slow")
			step = l.step(t, ok(step.Jobs[0], "wa.slow"))
			l.step(t, ok(step.Jobs[0], "wa.behind"))
		})

		t.Run("an unreachable provider is tried again and again, at most a minute later", func(t *testing.T) {
			m := l.send(t, ana, "far")
			l.send(t, ana, "farther")
			step := l.step(t)
			for range 30 {
				step = l.step(t, SendDone{Job: step.Jobs[0], Err: &provider.SendError{Code: "unavailable", Message: "No answer.", Retry: true}})
				testkit.Equal(t, "number of step.Jobs", len(step.Jobs), 0)
				if step.Next == nil {
					t.Fatalf("want step.Next != nil; got %+v", step)
				}
				if time.Until(*step.Next) > time.Minute {
					t.Fatalf("want time.Until(*step.Next) <= time.Minute; got %+v", step)
				}
				testkit.Equal(t, "l.now(t, m.ID).Status", l.now(t, m.ID).Status, provider.StatusQueued)
				l.due(t)
				if step = l.step(t); len(step.Jobs) != 1 || step.Jobs[0].Out.Text != "far" {
					t.Fatalf(`l.step(t): want number of step.Jobs == 1 and step.Jobs[0].Out.Text == "far"; got %+v`, step.Jobs)
				}
			}
			step = l.step(t, ok(step.Jobs[0], "wa.far"))
			l.step(t, ok(step.Jobs[0], "wa.farther"))
		})

		t.Run("an uncertain message fails, is not sent again, and a report settles it", func(t *testing.T) {
			m := l.send(t, ana, "where am I")
			step := l.step(t)
			step = l.step(t, SendDone{Job: step.Jobs[0], Err: &provider.SendError{Code: "no_answer", Fate: provider.Uncertain}})
			if got := l.now(t, m.ID); got.Status != provider.StatusFailed || got.Error.Code != ErrorUncertain || len(step.Jobs) != 0 {
				t.Fatalf("l.now(t, m.ID): want got.Status == model.StatusFailed and got.Error.Code == model.ErrorUncertain and number of step.Jobs == 0; got %+v, %+v", got, step)
			}
			l.receive(t, provider.Incoming{Status: &provider.IncomingStatus{ExternalID: "wa.found", ClientID: m.ID.String(), Status: provider.StatusDelivered, At: time.Now()}})
			if got := l.now(t, m.ID); got.Status != provider.StatusDelivered || *got.ExternalID != "wa.found" || got.Error != nil || l.sentEvents(t, m.ID) != 1 {
				t.Fatalf(`l.now(t, m.ID): want got.Status == model.StatusDelivered and *got.ExternalID == "wa.found" and got.Error == nil and l.sentEvents(t, m.ID) == 1; got %+v`, got)
			}
		})

		t.Run("reports that come before the provider's answer are not lost", func(t *testing.T) {
			m := l.send(t, ana, "quick")
			step := l.step(t)
			l.receive(t,
				provider.Incoming{Status: &provider.IncomingStatus{ExternalID: "wa.quick", Status: provider.StatusDelivered, At: time.Now()}},
				provider.Incoming{Status: &provider.IncomingStatus{ExternalID: "wa.quick", Status: provider.StatusSent, At: time.Now()}})
			l.step(t, ok(step.Jobs[0], "wa.quick"))
			if got := l.now(t, m.ID); got.Status != provider.StatusDelivered || l.sentEvents(t, m.ID) != 1 {
				t.Fatalf("l.now(t, m.ID): want got.Status == model.StatusDelivered and l.sentEvents(t, m.ID) == 1; got %+v", got)
			}
			m = l.send(t, ana, "quicker")
			step = l.step(t)
			l.receive(t, provider.Incoming{Status: &provider.IncomingStatus{ExternalID: "wa.quicker", ClientID: m.ID.String(), Status: provider.StatusRead, At: time.Now()}})
			testkit.Equal(t, "l.now(t, m.ID).Status", l.now(t, m.ID).Status, provider.StatusRead)
			l.step(t, ok(step.Jobs[0], "wa.quicker"))
			if got := l.now(t, m.ID); got.Status != provider.StatusRead || l.sentEvents(t, m.ID) != 1 {
				t.Fatalf("l.now(t, m.ID): want got.Status == model.StatusRead and l.sentEvents(t, m.ID) == 1; got %+v", got)
			}
		})

		t.Run("a provider's answer that arrives after a report of failure changes nothing", func(t *testing.T) {
			m := l.send(t, ana, "doomed")
			step := l.step(t)
			l.receive(t, provider.Incoming{Status: &provider.IncomingStatus{ExternalID: "wa.doomed", ClientID: m.ID.String(), Status: provider.StatusFailed, At: time.Now()}})
			step = l.step(t, ok(step.Jobs[0], "wa.doomed"))
			if got := l.now(t, m.ID); got.Status != provider.StatusFailed || len(step.Jobs) != 0 {
				t.Fatalf("l.now(t, m.ID): want got.Status == model.StatusFailed and number of step.Jobs == 0; got %+v", got)
			}
		})

		t.Run("a refused channel is disconnected and keeps its queue", func(t *testing.T) {
			m := l.send(t, ana, "patient")
			step := l.step(t)
			step = l.step(t, SendDone{Job: step.Jobs[0], Err: &provider.SendError{Code: "token_rejected", Message: "The token is not valid.", Disconnect: true}})
			testkit.Equal(t, "number of step.Jobs", len(step.Jobs), 0)
			testkit.Equal(t, "l.now(t, m.ID).Status", l.now(t, m.ID).Status, provider.StatusQueued)
			text := "refused"
			_, _, err := l.d.SendMessage(t.Context(), l.owner, ana, NewMessage{ClientID: kernel.NewID(), Text: &text})
			if kernel.CodeOf(err) != kernel.CodeChannelDisconnected {
				t.Fatal(err)
			}
			if due, err := l.d.ChannelsToSend(t.Context(), l.me); err != nil || len(due) != 0 {
				t.Fatalf("want err == nil and number of due == 0; got %+v, %+v", due, err)
			}
			l.connect(t)
			step = l.step(t)
			testkit.Equal(t, "number of step.Jobs", len(step.Jobs), 1)
			l.step(t, ok(step.Jobs[0], "wa.patient"))
		})

		t.Run("outside the service window WhatsApp takes only templates", func(t *testing.T) {
			old := l.from(t, "5511987650009", now.Add(-25*time.Hour))
			text := "too late"
			_, _, err := l.d.SendMessage(t.Context(), l.owner, old, NewMessage{ClientID: kernel.NewID(), Text: &text})
			if kernel.CodeOf(err) != kernel.CodeServiceWindowClosed {
				t.Fatal(err)
			}
			m, _, err := l.d.SendMessage(t.Context(), l.owner, old, NewMessage{ClientID: kernel.NewID(), Template: &provider.Template{
				Name: "come_back", Language: "pt_BR", Parameters: []provider.TemplateParameter{{Text: "Ana"}},
			}})
			if err != nil {
				t.Fatalf("want err == nil; got %+v, %+v", m, err)
			}
			testkit.Equal(t, "*m.Text", *m.Text, "come_back: Ana")
			step := l.step(t)
			testkit.Equal(t, "number of step.Jobs", len(step.Jobs), 1)
			if step.Jobs[0].Out.Template == nil {
				t.Fatalf("want step.Jobs[0].Out.Template != nil; got %+v", step.Jobs)
			}
			testkit.Equal(t, "step.Jobs[0].Out.Template.Parameters[0].Text", step.Jobs[0].Out.Template.Parameters[0].Text, "Ana")
			testkit.Equal(t, "step.Jobs[0].Out.Text", step.Jobs[0].Out.Text, "")
			l.step(t, ok(step.Jobs[0], "wa.template"))
		})
	})
}

func TestACrashWhileSendingRepeatsNothing(t *testing.T) {
	eachLine(t, func(t *testing.T, l *line) {
		ana := l.from(t, "5511987650001", time.Now())
		lost, waiting := l.send(t, ana, "lost"), l.send(t, ana, "waiting")
		step := l.step(t)
		testkit.Equal(t, "number of step.Jobs", len(step.Jobs), 1)
		// The process ends here: the result of the job is not reported, and its lease runs out.
		old, oldJob := *l, step.Jobs[0]
		l.expire(t)
		l.me = kernel.NewID()
		l.take(t)
		if got := l.now(t, lost.ID); got.Status != provider.StatusFailed || got.Error.Code != ErrorUncertain {
			t.Fatalf("l.now(t, lost.ID): want got.Status == model.StatusFailed and got.Error.Code == model.ErrorUncertain; got %+v", got)
		}
		step = l.step(t)
		testkit.Equal(t, "number of step.Jobs", len(step.Jobs), 1)
		testkit.Equal(t, "step.Jobs[0].Out.ClientID", step.Jobs[0].Out.ClientID, waiting.ID.String())
		l.step(t, ok(step.Jobs[0], "wa.waiting"))

		t.Run("a process that was only paused cannot start anything, but its success counts", func(t *testing.T) {
			l.send(t, ana, "third")
			late, err := l.d.SendStep(t.Context(), l.company.ID, old.lease, old.me, testLease, []SendDone{ok(oldJob, "wa.lost")}, 16)
			if err != nil {
				t.Fatalf("want err == nil; got %+v, %+v", late, err)
			}
			if late.Held {
				t.Fatalf("want !late.Held; got %+v, %+v", late, err)
			}
			testkit.Equal(t, "number of late.Jobs", len(late.Jobs), 0)
			if got := l.now(t, lost.ID); got.Status != provider.StatusSent || l.sentEvents(t, lost.ID) != 1 {
				t.Fatalf("l.now(t, lost.ID): want got.Status == model.StatusSent and l.sentEvents(t, lost.ID) == 1; got %+v", got)
			}
		})
		t.Run("an error that says nothing leaves the message uncertain", func(t *testing.T) {
			step := l.step(t)
			l.step(t, SendDone{Job: step.Jobs[0], Err: errors.New("surprise")})
			list, err := l.d.Messages(context.Background(), l.owner, ana, MessageQuery{Limit: 1})
			if err != nil {
				t.Fatalf("want err == nil; got %+v, %+v", list.Data[0], err)
			}
			if list.Data[0].Error == nil {
				t.Fatalf("want list.Data[0].Error != nil; got %+v, %+v", list.Data[0], err)
			}
			testkit.Equal(t, "list.Data[0].Error.Code", list.Data[0].Error.Code, ErrorUncertain)
		})
	})
}

// due makes everything in the queue due now.
func (l *line) due(t *testing.T) {
	t.Helper()
	l.force(t, func(tx *kernel.Tx) error {
		makeSendsDue(tx, l.company.ID, l.channel.ID)
		return nil
	})
}

func (l *line) expire(t *testing.T) {
	t.Helper()
	l.force(t, func(tx *kernel.Tx) error {
		tx.ReleaseLease(l.lease, l.me)
		return nil
	})
}

func (l *line) connect(t *testing.T) {
	t.Helper()
	l.force(t, func(tx *kernel.Tx) error {
		channels.SetChannelStatus(tx, l.company.ID, l.channel.ID, channels.ChannelConnected, nil)
		return nil
	})
}

func (l *line) force(t *testing.T, change func(tx *kernel.Tx) error) {
	t.Helper()
	if err := l.d.Store.Write(t.Context(), change); err != nil {
		t.Fatal(err)
	}
}

func TestAStepWhoseCommitGotNoAnswer(t *testing.T) {
	eachLine(t, func(t *testing.T, l *line) {
		ana, bia := l.from(t, "5511987650001", time.Now()), l.from(t, "5511987650002", time.Now())
		l.send(t, ana, "in hand")
		inHand := l.step(t).Jobs[0]
		l.send(t, bia, "marked for no worker")
		testkit.Equal(t, "number of l.step(t).Jobs", len(l.step(t).Jobs), 1)
		hand := map[kernel.ID]struct{}{inHand.JobID(): {}}

		t.Run("has its messages sent after all, once", func(t *testing.T) {
			testkit.Equal(t, "number of l.step(t).Jobs", len(l.step(t).Jobs), 0)
			if err := l.d.ReclaimSends(t.Context(), l.company.ID, l.lease, l.me, hand); err != nil {
				t.Fatal(err)
			}
			jobs := l.step(t).Jobs
			testkit.Equal(t, "number of jobs", len(jobs), 1)
			testkit.Equal(t, "jobs[0].Out.Text", jobs[0].Out.Text, "marked for no worker")
			testkit.Equal(t, "jobs[0].queued.Attempts", jobs[0].queued.Attempts, 0)
			l.step(t, ok(jobs[0], "wa.1"), ok(inHand, "wa.2"))
		})
		t.Run("is for the lease's owner alone to mend", func(t *testing.T) {
			l.send(t, bia, "another's")
			testkit.Equal(t, "number of l.step(t).Jobs", len(l.step(t).Jobs), 1)
			if err := l.d.ReclaimSends(t.Context(), l.company.ID, l.lease, kernel.NewID(), nil); err != nil {
				t.Fatal(err)
			}
			if jobs := l.step(t).Jobs; len(jobs) != 0 {
				t.Fatalf("a message that is being sent was put back: %+v", jobs)
			}
		})
	})
}

func TestReportsAndResultsAboutTheSameConversationsDoNotBlockEachOther(t *testing.T) {
	eachLine(t, func(t *testing.T, l *line) {
		const people, rounds = 8, 12
		var phones []string
		for i := range people {
			phones = append(phones, fmt.Sprintf("55119876500%02d", i))
			l.from(t, phones[i], time.Now())
		}
		nodes := l.nodes[:min(len(l.nodes), 2)]
		var all sync.WaitGroup
		began := time.Now()
		for worker := range 4 {
			all.Go(func() {
				for round := range rounds {
					var items []provider.Incoming
					for i := range people { // every worker has an order of its own
						phone := phones[(i*(2*worker+1)+round)%people]
						items = append(items, provider.Incoming{Message: &provider.IncomingMessage{
							ExternalID: "in." + kernel.NewID().String(), Customer: provider.Person{WAID: phone}, Type: "text", Text: "hi", At: time.Now(),
						}})
					}
					if err := nodes[worker%len(nodes)].Receive(context.Background(), l.channel.Company, l.channel.ID, items); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		// PostgreSQL notices two that wait for each other only after a second.
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%v for %d batches", took, 4*rounds)
		}
	})
}
