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
	"recado/internal/kernel/db"
	"recado/test/testkit"
)

// line is a WhatsApp channel whose queue a test processes step by step.
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
		t.Fatalf("the lease was not taken: %v, %v", taken, err)
	}
	l.lease = lease
}

// from receives a message of a customer and returns the conversation.
func (l *line) from(t *testing.T, phone string, at time.Time) kernel.ID {
	t.Helper()
	l.receive(t, provider.Incoming{Message: &provider.IncomingMessage{
		ExternalID: "in." + kernel.NewID().String(), Customer: provider.Person{WAID: phone}, Type: "text", Text: "hi", At: at,
	}})
	list, err := l.d.Conversations(t.Context(), l.owner, conversationCriteria{Q: phone, Limit: 1}, "")
	if err != nil || len(list.Data) != 1 {
		t.Fatalf("got %+v, %v, want one conversation", list, err)
	}
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
	testkit.Equal(t, "status", m.Status, provider.StatusQueued)
	testkit.Equal(t, "external id", m.ExternalID, nil)
	return m
}

// step stores the results of jobs and claims new ones.
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

// check compares the status of a message, the code of its error ("" for none) and the number of its message.sent events.
func (l *line) check(t *testing.T, id kernel.ID, status, code string, sentEvents int) {
	t.Helper()
	m := l.now(t, id)
	testkit.Equal(t, "status", m.Status, status)
	got := ""
	if m.Error != nil {
		got = m.Error.Code
	}
	testkit.Equal(t, "code of the error", got, code)
	testkit.Equal(t, "number of message.sent events", l.sentEvents(t, id), sentEvents)
}

// job returns the only job of a step.
func (l *line) job(t *testing.T, step ClaimedSends) SendJob {
	t.Helper()
	if len(step.Jobs) != 1 {
		t.Fatalf("got the jobs %+v, want one", step.Jobs)
	}
	return step.Jobs[0]
}

// sentEvents counts the message.sent events of a message.
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

func TestAChannelSendsItsQueue(t *testing.T) {
	eachLine(t, func(t *testing.T, l *line) {
		now := time.Now()
		ana, bia := l.from(t, "5511987650001", now), l.from(t, "5511987650002", now)

		t.Run("order is kept within a conversation, and conversations do not wait for each other", func(t *testing.T) {
			a1, a2, b1 := l.send(t, ana, "a1"), l.send(t, ana, "a2"), l.send(t, bia, "b1")
			step := l.step(t)
			testkit.Equal(t, "number of jobs", len(step.Jobs), 2)
			if texts := step.Jobs[0].Out.Text + step.Jobs[1].Out.Text; texts != "a1b1" && texts != "b1a1" {
				t.Fatalf("got the texts %s, want a1 and b1", texts)
			}
			if again := l.step(t); len(again.Jobs) != 0 {
				t.Fatalf("a second message of a conversation is being sent: %+v", again.Jobs)
			}
			first := step.Jobs[0]
			if first.Out.Text != "a1" {
				first = step.Jobs[1]
			}
			testkit.Equal(t, "first.Out.ClientID", first.Out.ClientID, a1.ID.String())
			testkit.Equal(t, "first.Out.To.WAID", first.Out.To.WAID, "5511987650001")
			testkit.Equal(t, "first.Out.To.Phone", first.Out.To.Phone, "+5511987650001")
			step = l.step(t, ok(step.Jobs[0], "wa."+step.Jobs[0].Out.Text), ok(step.Jobs[1], "wa."+step.Jobs[1].Out.Text))
			testkit.Equal(t, "text", l.job(t, step).Out.Text, "a2")
			if m := l.now(t, a1.ID); *m.ExternalID != "wa.a1" || m.SentAt == nil {
				t.Fatalf("got %+v, want the external id wa.a1 and a time", m)
			}
			l.step(t, ok(step.Jobs[0], "wa.a2"))
			for _, m := range []*Message{a1, a2, b1} {
				l.check(t, m.ID, provider.StatusSent, "", 1)
			}
		})

		t.Run("a refused message fails and the next one is sent", func(t *testing.T) {
			bad, good := l.send(t, ana, "bad"), l.send(t, ana, "good")
			step := l.step(t)
			step = l.step(t, SendDone{Job: step.Jobs[0], Err: &provider.SendError{Code: "not_on_whatsapp", Message: "No."}})
			l.check(t, bad.ID, provider.StatusFailed, "not_on_whatsapp", 0)
			testkit.Equal(t, "client id", l.job(t, step).Out.ClientID, good.ID.String())
			l.step(t, ok(step.Jobs[0], "wa.good"))
		})

		t.Run("a message that was certainly not sent is retried later, before the messages after it", func(t *testing.T) {
			l.send(t, ana, "slow")
			l.send(t, ana, "behind")
			step := l.step(t)
			step = l.step(t, SendDone{Job: step.Jobs[0], Err: &provider.SendError{Code: "rate_limited", Message: "Later.", Retry: true, RetryAfter: time.Hour}})
			if len(step.Jobs) != 0 || step.Next == nil || time.Until(*step.Next) < 50*time.Minute {
				t.Fatalf("got %+v, want no jobs and the next one in an hour", step)
			}
			l.due(t)
			step = l.step(t)
			testkit.Equal(t, "text", l.job(t, step).Out.Text, "slow")
			step = l.step(t, ok(step.Jobs[0], "wa.slow"))
			l.step(t, ok(step.Jobs[0], "wa.behind"))
		})

		t.Run("an unreachable provider is retried at least once a minute", func(t *testing.T) {
			m := l.send(t, ana, "far")
			l.send(t, ana, "farther")
			step := l.step(t)
			for range 30 {
				step = l.step(t, SendDone{Job: step.Jobs[0], Err: &provider.SendError{Code: "unavailable", Message: "No answer.", Retry: true}})
				if len(step.Jobs) != 0 || step.Next == nil || time.Until(*step.Next) > time.Minute {
					t.Fatalf("got %+v, want no jobs and the next one within a minute", step)
				}
				l.check(t, m.ID, provider.StatusQueued, "", 0)
				l.due(t)
				step = l.step(t)
				testkit.Equal(t, "text", l.job(t, step).Out.Text, "far")
			}
			step = l.step(t, ok(step.Jobs[0], "wa.far"))
			l.step(t, ok(step.Jobs[0], "wa.farther"))
		})

		t.Run("an uncertain message fails, is not sent again, and a report corrects its status", func(t *testing.T) {
			m := l.send(t, ana, "where am I")
			step := l.step(t)
			step = l.step(t, SendDone{Job: step.Jobs[0], Err: &provider.SendError{Code: "no_answer", Fate: provider.Uncertain}})
			l.check(t, m.ID, provider.StatusFailed, ErrorUncertain, 0)
			testkit.Equal(t, "number of jobs", len(step.Jobs), 0)
			l.receive(t, provider.Incoming{Status: &provider.IncomingStatus{ExternalID: "wa.found", ClientID: m.ID.String(), Status: provider.StatusDelivered, At: time.Now()}})
			l.check(t, m.ID, provider.StatusDelivered, "", 1)
			testkit.Equal(t, "external id", *l.now(t, m.ID).ExternalID, "wa.found")
		})

		t.Run("reports that arrive before the provider's response are not lost", func(t *testing.T) {
			m := l.send(t, ana, "quick")
			step := l.step(t)
			l.receive(t,
				provider.Incoming{Status: &provider.IncomingStatus{ExternalID: "wa.quick", Status: provider.StatusDelivered, At: time.Now()}},
				provider.Incoming{Status: &provider.IncomingStatus{ExternalID: "wa.quick", Status: provider.StatusSent, At: time.Now()}})
			l.step(t, ok(step.Jobs[0], "wa.quick"))
			l.check(t, m.ID, provider.StatusDelivered, "", 1)
			m = l.send(t, ana, "quicker")
			step = l.step(t)
			l.receive(t, provider.Incoming{Status: &provider.IncomingStatus{ExternalID: "wa.quicker", ClientID: m.ID.String(), Status: provider.StatusRead, At: time.Now()}})
			l.check(t, m.ID, provider.StatusRead, "", 1)
			l.step(t, ok(step.Jobs[0], "wa.quicker"))
			l.check(t, m.ID, provider.StatusRead, "", 1)
		})

		t.Run("a provider's response that arrives after a report of failure changes nothing", func(t *testing.T) {
			m := l.send(t, ana, "doomed")
			step := l.step(t)
			l.receive(t, provider.Incoming{Status: &provider.IncomingStatus{ExternalID: "wa.doomed", ClientID: m.ID.String(), Status: provider.StatusFailed, At: time.Now()}})
			step = l.step(t, ok(step.Jobs[0], "wa.doomed"))
			testkit.Equal(t, "status", l.now(t, m.ID).Status, provider.StatusFailed)
			testkit.Equal(t, "number of jobs", len(step.Jobs), 0)
		})

		t.Run("a refused channel is disconnected and keeps its queue", func(t *testing.T) {
			m := l.send(t, ana, "patient")
			step := l.step(t)
			step = l.step(t, SendDone{Job: step.Jobs[0], Err: &provider.SendError{Code: "token_rejected", Message: "The token is not valid.", Disconnect: true}})
			testkit.Equal(t, "number of jobs", len(step.Jobs), 0)
			l.check(t, m.ID, provider.StatusQueued, "", 0)
			text := "refused"
			_, _, err := l.d.SendMessage(t.Context(), l.owner, ana, NewMessage{ClientID: kernel.NewID(), Text: &text})
			if kernel.CodeOf(err) != kernel.CodeChannelDisconnected {
				t.Fatal(err)
			}
			if due, err := l.d.ChannelsToSend(t.Context(), l.me); err != nil || len(due) != 0 {
				t.Fatalf("got %+v, %v, want no channels", due, err)
			}
			l.connect(t)
			l.step(t, ok(l.job(t, l.step(t)), "wa.patient"))
		})

		t.Run("outside the service window only templates can be sent", func(t *testing.T) {
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
				t.Fatal(err)
			}
			testkit.Equal(t, "text of the message", *m.Text, "come_back: Ana")
			job := l.job(t, l.step(t))
			if job.Out.Template == nil {
				t.Fatalf("got %+v, want a template", job.Out)
			}
			testkit.Equal(t, "parameter", job.Out.Template.Parameters[0].Text, "Ana")
			testkit.Equal(t, "text of the job", job.Out.Text, "")
			l.step(t, ok(job, "wa.template"))
		})
	})
}

func TestACrashWhileSendingDoesNotSendAMessageTwice(t *testing.T) {
	eachLine(t, func(t *testing.T, l *line) {
		ana := l.from(t, "5511987650001", time.Now())
		lost, waiting := l.send(t, ana, "lost"), l.send(t, ana, "waiting")
		// The process ends after it has claimed the job: it does not store the result, and its lease expires.
		old, oldJob := *l, l.job(t, l.step(t))
		l.expire(t)
		l.me = kernel.NewID()
		l.take(t)
		l.check(t, lost.ID, provider.StatusFailed, ErrorUncertain, 0)
		job := l.job(t, l.step(t))
		testkit.Equal(t, "client id", job.Out.ClientID, waiting.ID.String())
		l.step(t, ok(job, "wa.waiting"))

		t.Run("a process that was only paused gets no jobs, but its result counts", func(t *testing.T) {
			l.send(t, ana, "third")
			late, err := l.d.SendStep(t.Context(), l.company.ID, old.lease, old.me, testLease, []SendDone{ok(oldJob, "wa.lost")}, 16)
			if err != nil || late.Held || len(late.Jobs) != 0 {
				t.Fatalf("got %+v, %v, want a lost lease and no jobs", late, err)
			}
			l.check(t, lost.ID, provider.StatusSent, "", 1)
		})
		t.Run("an unknown error makes the message uncertain", func(t *testing.T) {
			job := l.job(t, l.step(t))
			l.step(t, SendDone{Job: job, Err: errors.New("surprise")})
			l.check(t, job.JobID(), provider.StatusFailed, ErrorUncertain, 0)
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

func TestAStepWithAnUnknownCommitResult(t *testing.T) {
	eachLine(t, func(t *testing.T, l *line) {
		ana, bia := l.from(t, "5511987650001", time.Now()), l.from(t, "5511987650002", time.Now())
		l.send(t, ana, "in hand")
		inHand := l.step(t).Jobs[0]
		l.send(t, bia, "marked for no worker")
		l.job(t, l.step(t))
		hand := map[kernel.ID]struct{}{inHand.JobID(): {}}

		t.Run("sends its messages once after they are reclaimed", func(t *testing.T) {
			testkit.Equal(t, "number of jobs", len(l.step(t).Jobs), 0)
			if err := l.d.ReclaimSends(t.Context(), l.company.ID, l.lease, l.me, hand); err != nil {
				t.Fatal(err)
			}
			job := l.job(t, l.step(t))
			testkit.Equal(t, "text", job.Out.Text, "marked for no worker")
			testkit.Equal(t, "attempts", job.queued.Attempts, 0)
			l.step(t, ok(job, "wa.1"), ok(inHand, "wa.2"))
		})
		t.Run("can be reclaimed only by the owner of the lease", func(t *testing.T) {
			l.send(t, bia, "another's")
			l.job(t, l.step(t))
			if err := l.d.ReclaimSends(t.Context(), l.company.ID, l.lease, kernel.NewID(), nil); err != nil {
				t.Fatal(err)
			}
			if jobs := l.step(t).Jobs; len(jobs) != 0 {
				t.Fatalf("a message that is being sent was put back in the queue: %+v", jobs)
			}
		})
	})
}

func TestConcurrentBatchesOfTheSameConversationsDoNotDeadlock(t *testing.T) {
	eachLine(t, func(t *testing.T, l *line) {
		const people, rounds = 8, 12
		var phones []string
		for i := range people {
			phones = append(phones, fmt.Sprintf("55119876500%02d", i))
			l.from(t, phones[i], time.Now())
		}
		nodes := l.nodes[:min(len(l.nodes), 2)]
		var all sync.WaitGroup
		for worker := range 4 {
			all.Go(func() {
				for round := range rounds {
					var items []provider.Incoming
					for i := range people { // each worker has a different order
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
		deadlocks, err := kernel.Read(t.Context(), l.d.Kernel, func(tx *kernel.Tx) (n int64, err error) {
			counted := tx.Dialect().Pick(`SELECT 0 AS deadlocks`, `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`)
			_, err = tx.One(counted, nil, func(r db.Row) { n = r.Int("deadlocks") })
			return n, err
		})
		if err != nil || deadlocks != 0 {
			t.Errorf("deadlocks: got %d, %v, want 0", deadlocks, err)
		}
	})
}
