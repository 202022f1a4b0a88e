package push

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/guard"
	"recado/internal/jobs"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/talk"
)

// wakePush is the name of the wakeup of the loop.
const wakePush = "push"

const (
	maxAge       = time.Hour       // older notifications are not sent
	retryWait    = 5 * time.Second // after the first failure; three times as long after each further one
	maxRetryWait = 10 * time.Minute
	maxPause     = 24 * time.Hour // for which a push service can stop the notifications of a device
	ttl          = 4 * time.Hour  // for which a push service keeps a notification for a device that is offline

	// claimLease is the time after which an attempt that has not ended is given up. It is well above the time limit of requests.
	claimLease = time.Minute
)

// kinds maps the kinds of notifications to those of preferences. The others are not sent to devices.
var kinds = map[string]string{
	people.PushMessage: people.PushMessage, talk.NotifyAssigned: people.PushAssigned, talk.NotifyMentioned: people.PushMention,
	talk.NotifyWaiting: people.PushQueue, talk.NotifyMessageFailed: people.PushFailed,
	talk.NotifySLAWarning: people.PushSLA, talk.NotifySLABreached: people.PushSLA,
}

// received notifies the responsible member of a customer's message. As in the app, muted conversations stay silent.
func (d *Pushes) received(t *talk.LockedConversation, m *talk.Message) error {
	if t.Assignee != nil && !t.Muted {
		d.enqueue(t, people.PushMessage, &m.ID, []kernel.ID{*t.Assignee})
	}
	return nil
}

// notified sends the notifications of members to their devices.
func (d *Pushes) notified(t *talk.LockedConversation, kind string, entry *kernel.ID, members []kernel.ID) {
	if kinds[kind] != "" {
		d.enqueue(t, kind, entry, members)
	}
}

// enqueue stores a notification for each device of members who want its kind. It replaces an earlier one about the conversation.
// If that one is being sent, the new one follows when the request has ended; if it has failed, it keeps the number of attempts.
func (d *Pushes) enqueue(t *talk.LockedConversation, kind string, entry *kernel.ID, members []kernel.ID) {
	s := t.Tx.Statement()
	s.WriteString(`
		INSERT INTO pushes (company, subscription, conversation, id, kind, entry, tries, created_at, due_at)
		SELECT s.company, s.id, ` + s.Arg(t.ID) + `, ` + s.Arg(kernel.NewID()) + `, ` + s.Arg(kind) + `, ` + s.Arg(entry) + `, 0, ` + s.Arg(t.Tx.Now) + `, ` + s.Arg(t.Tx.Now) + `
		FROM push_subscriptions s
		JOIN users u ON u.company = s.company AND u.id = s.member
		WHERE s.company = ` + s.Arg(t.Company) + ` AND s.member IN (` + db.Listed(members)(s) + `)
			AND (u.push_kinds IS NULL OR u.push_kinds LIKE ` + s.Arg(`%"`+kinds[kind]+`"%`) + `)
		ORDER BY s.id
		ON CONFLICT (company, subscription, conversation) DO UPDATE
		SET id = excluded.id, kind = excluded.kind, entry = excluded.entry, created_at = excluded.created_at,
			due_at = CASE WHEN pushes.claimed IS NULL THEN excluded.due_at ELSE pushes.due_at END`)
	t.Tx.Later(s.String(), s.Args...)
	t.Tx.AfterCommit(d.Wakeup(wakePush).Notify)
}

// Sender sends notifications to push services. The companies with due notifications are the subjects of the job pool, so that they
// share its slots; every node may claim a notification.
type Sender struct {
	Desk   *Pushes
	Logger *slog.Logger
}

const (
	sendPoll  = time.Second
	sendIdle  = 10 * time.Second
	sendGrace = 2 * time.Second

	sendsPerCompany = 16 // concurrent requests
)

// sendSlots limits the concurrent requests to push services.
var sendSlots = jobs.SlotLimits{All: 64, Group: sendsPerCompany}

// Run sends notifications until ctx ends.
func (s *Sender) Run(ctx context.Context) {
	jobs.NewPool(s, jobs.Options[struct{}]{
		Name: "pushes", Logger: s.Logger, Slots: sendSlots, Poll: sendPoll, Idle: sendIdle, Grace: sendGrace,
		Signal: s.Desk.Wakeup(wakePush).C,
	}).Run(ctx)
}

// Due returns the companies with due notifications.
func (s *Sender) Due(ctx context.Context, _ kernel.ID) (companies []kernel.ID, next time.Duration, err error) {
	companies, err = kernel.ReadOne(ctx, s.Desk.Kernel, func(tx *kernel.Tx) ([]kernel.ID, error) {
		return tx.IDs(`SELECT DISTINCT /* all companies: due work */ company FROM pushes WHERE due_at <= $1`, tx.Now)
	})
	return companies, 0, err
}

// Open returns the notifications of a company.
func (s *Sender) Open(company kernel.ID) jobs.Subject[*job, struct{}] {
	return &companySender{s, company}
}

type companySender struct {
	*Sender
	company kernel.ID
}

// job is an attempt to send a notification to a device.
type job struct {
	attempt                   kernel.ID
	company, to, conversation kernel.ID
	id                        kernel.ID
	kind                      string
	entry                     *kernel.ID
	tries                     int64
	createdAt                 time.Time
}

// JobID returns the id of the attempt.
func (j *job) JobID() kernel.ID { return j.attempt }

// Free returns the number of requests that may start now.
func (s *companySender) Free(running int) (int, time.Duration) { return sendsPerCompany - running, 0 }

// Group returns the company.
func (s *companySender) Group() (group kernel.ID, unproven bool) { return s.company, false }

// Step claims due notifications.
func (s *companySender) Step(ctx context.Context, step jobs.Step[struct{}]) (jobs.Claimed[*job], error) {
	due, err := kernel.Write(ctx, s.Desk.Kernel, func(tx *kernel.Tx) ([]*job, error) { return claim(tx, s.company, step.Limit) })
	return jobs.Claimed[*job]{Jobs: due, More: len(due) == step.Limit}, err
}

// Attempt sends a notification and records the outcome.
func (s *companySender) Attempt(ctx context.Context, _ jobs.Held, j *job) (none struct{}, record bool, err error) {
	if err := s.Desk.send(ctx, j); err != nil && ctx.Err() == nil {
		s.Logger.Warn("a notification was not sent to a device", slog.String("subscription", j.to.String()), slog.Any("error", err))
	}
	return none, false, nil
}

// Finished does nothing.
func (s *companySender) Finished(struct{}) {}

// Close does nothing.
func (s *companySender) Close() {}

// claim marks due notifications of a company as started, before their requests, and returns them. One that is still marked was
// being sent when a node stopped. Nobody knows whether the device has it, so it is dropped: a notification is never sent twice,
// and after a crash it may be missing on the device. The app still lists it. One that is too old is dropped, and one for a device
// that is paused waits.
func claim(tx *kernel.Tx, company kernel.ID, limit int) ([]*job, error) {
	type row struct {
		*job
		claimed     *kernel.ID
		pausedUntil *time.Time
	}
	rows, err := kernel.Rows(tx, `
		SELECT p.subscription, p.conversation, p.id, p.kind, p.entry, p.tries, p.created_at, p.claimed, s.paused_until
		FROM pushes p
		JOIN push_subscriptions s ON s.company = p.company AND s.id = p.subscription
		WHERE p.company = $1 AND p.due_at <= $2
		ORDER BY p.due_at
		LIMIT $3`+tx.Dialect().Lock(` FOR UPDATE OF p SKIP LOCKED`), []any{company, tx.Now, limit}, func(r db.Row) row {
		return row{&job{
			attempt: kernel.NewID(), company: company, to: r.ID("subscription"), conversation: r.ID("conversation"), id: r.ID("id"),
			kind: r.Text("kind"), entry: r.NullID("entry"), tries: r.Int("tries") + 1, createdAt: r.Time("created_at"),
		}, r.NullID("claimed"), r.NullTime("paused_until")}
	})
	var due []*job
	for _, r := range rows {
		switch {
		case r.claimed != nil && *r.claimed == r.id, tx.Now.Sub(r.createdAt) > maxAge:
			r.finish(tx)
		case r.pausedUntil != nil && r.pausedUntil.After(tx.Now):
			r.retry(tx, *r.pausedUntil)
		default:
			tx.Later(`
				UPDATE pushes
				SET claimed = id, due_at = $4, tries = $5
				WHERE company = $1 AND subscription = $2 AND conversation = $3`, company, r.to, r.conversation, tx.Now.Add(claimLease), r.tries)
			due = append(due, r.job)
		}
	}
	return due, err
}

// finish deletes a notification. If a later one has replaced it meanwhile, that one becomes due.
func (j *job) finish(tx *kernel.Tx) {
	tx.Later(`DELETE FROM pushes WHERE company = $1 AND subscription = $2 AND conversation = $3 AND id = $4`,
		j.company, j.to, j.conversation, j.id)
	tx.Later(`
		UPDATE pushes
		SET claimed = NULL, due_at = $5, tries = 0
		WHERE company = $1 AND subscription = $2 AND conversation = $3 AND claimed = $4`, j.company, j.to, j.conversation, j.id, tx.Now)
}

// retry makes another attempt at a time, with a later notification if one has replaced this one meanwhile. It drops a notification
// that would be too old then.
func (j *job) retry(tx *kernel.Tx, at time.Time) {
	tx.Later(`
		DELETE FROM pushes
		WHERE company = $1 AND subscription = $2 AND conversation = $3 AND (id = $4 OR claimed = $4) AND created_at < $5`,
		j.company, j.to, j.conversation, j.id, at.Add(-maxAge))
	tx.Later(`
		UPDATE pushes
		SET claimed = NULL, due_at = $5
		WHERE company = $1 AND subscription = $2 AND conversation = $3 AND (id = $4 OR claimed = $4)`, j.company, j.to, j.conversation, j.id, at)
}

// recipient is a device and the session that it belongs to.
type recipient struct {
	company, id, member, session kernel.ID
	sealed                       []byte
}

// findRecipient finds a subscription. It returns nil if there is none.
func findRecipient(tx *kernel.Tx, company, id kernel.ID) (*recipient, error) {
	r, found, err := kernel.Row(tx, `SELECT member, session, sealed FROM push_subscriptions WHERE company = $1 AND id = $2`, []any{company, id},
		func(r db.Row) recipient {
			return recipient{company, id, r.ID("member"), r.ID("session"), r.Bytes("sealed")}
		})
	if err != nil || !found {
		return nil, err
	}
	return &r, nil
}

// send makes one attempt to send a notification. What has started is recorded even if ctx ends.
func (d *Pushes) send(ctx context.Context, j *job) error {
	var to *recipient
	end := func(f func(tx *kernel.Tx)) error {
		return d.Store.Write(context.WithoutCancel(ctx), func(tx *kernel.Tx) error {
			f(tx)
			tx.AfterCommit(d.Wakeup(wakePush).Notify)
			return nil
		})
	}
	m, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (m *message, err error) {
		if to, err = findRecipient(tx, j.company, j.to); err != nil || to == nil {
			return nil, err
		}
		return d.message(tx, to, j)
	})
	if err == nil && m == nil {
		return end(j.finish)
	}
	var o outcome
	if err == nil {
		o, err = d.post(ctx, to, m)
	}
	switch wait := o.wait(j.tries); {
	case err != nil: // there was no request
		return errors.Join(err, end(func(tx *kernel.Tx) { j.retry(tx, tx.Now.Add(wait)) }))
	case o.code == guard.KindCancelled.Code(): // the node is stopping: the outcome is unknown
		return end(j.finish)
	default:
		return end(func(tx *kernel.Tx) {
			o.record(tx, to, wait)
			if o.sent || o.gone {
				j.finish(tx)
			} else {
				j.retry(tx, tx.Now.Add(wait))
			}
		})
	}
}

// message returns the content of a notification, or nil if it must not be sent now: the session has ended, the member does not want
// it, is using the app or may not see the conversation, or it is out of date.
func (d *Pushes) message(tx *kernel.Tx, to *recipient, j *job) (*message, error) {
	who, err := d.people.FindPushRecipient(tx, j.company, to.session)
	if err != nil || who == nil {
		return nil, err
	}
	preferences := &who.Preferences
	if !slices.Contains(preferences.Push.Kinds, kinds[j.kind]) || preferences.Push.Quiet.Include(who.Now) || d.talk.IsFocused(j.company, to.member) {
		return nil, nil
	}
	c, found, err := talk.FindConversation(tx, j.company, j.conversation)
	if err != nil || !found || !talk.MaySee(who.Principal, &c) {
		return nil, err
	}
	switch j.kind {
	case people.PushMessage, talk.NotifyAssigned:
		if c.Assignee == nil || *c.Assignee != to.member {
			return nil, nil
		}
	case talk.NotifyWaiting:
		if talk.QueueOf(&c) == nil {
			return nil, nil
		}
	}
	l := texts[preferences.Language]
	m := &message{
		Conversation: &c.ID, Title: l.title(j.kind, c.Name), topic: encodeKey(c.ID[:]), urgent: j.kind != talk.NotifyWaiting,
	}
	if who.Texts {
		m.Text, err = l.about(tx, who.Principal, &c, j)
	}
	return m, err
}

// about returns the beginning of the note or message that a notification is about, or of the last message of the conversation.
func (l *language) about(tx *kernel.Tx, a *kernel.Principal, c *talk.Conversation, j *job) (*string, error) {
	switch {
	case j.kind == talk.NotifyMentioned && j.entry != nil:
		text, found, err := talk.NoteText(tx, a, *j.entry)
		if err != nil || !found {
			return nil, err
		}
		return new(shorten(text)), nil
	case j.entry != nil:
		m, found, err := talk.FindMessage(tx, j.company, *j.entry)
		if err != nil || !found || m.RevokedAt != nil {
			return nil, err
		}
		return new(l.preview(m.Type, m.Text, m.Notice != nil)), nil
	case c.LastMessage != nil:
		m := c.LastMessage
		return new(l.preview(m.Type, m.Text, m.Notice != nil)), nil
	}
	return nil, nil
}

// outcome is the result of a request to a push service.
type outcome struct {
	sent, gone bool
	status     *int64 // nil: there was no response
	code       string // why it failed
	params     kernel.Params
	retryAfter time.Duration
}

// The codes of failures, besides those of package guard. Attempts of webhook deliveries have the same.
const (
	codeAnswered = "answered"
	codeNoSecret = "secret_unreadable"
)

// errNoSecret is returned if the secret key of the installation does not open a secret.
var errNoSecret = errors.New("push: unreadable secret")

// post sends a message to a device. It returns an error if there was no request.
func (d *Pushes) post(ctx context.Context, to *recipient, m *message) (outcome, error) {
	o := outcome{params: kernel.Params{}}
	header, url, body, err := d.request(ctx, to, m)
	switch {
	case errors.Is(err, errNoSecret):
		d.Log.Error("cannot write a notification", slog.String("subscription", to.id.String()), slog.Any("error", err))
		o.code = codeNoSecret
		return o, nil
	case err != nil:
		return o, err
	}
	response, err := d.guard.Post(ctx, url, header, body)
	if response.StatusCode != 0 {
		o.status = new(int64(response.StatusCode))
	}
	switch status := response.StatusCode; {
	case status >= 200 && status < 300:
		o.sent = true
	case status == http.StatusNotFound, status == http.StatusGone:
		o.gone = true
		o.code, o.params = codeAnswered, kernel.Params{"status": status}
	case err != nil:
		o.code = guard.KindConnectionFailed.Code()
		if known, ok := errors.AsType[*guard.Error](err); ok {
			o.code, o.params = known.Code(), known.Params()
		}
	default:
		o.code, o.params = codeAnswered, kernel.Params{"status": status}
		o.retryAfter = retryAfter(response.Header.Get("Retry-After"), d.Now())
	}
	return o, nil
}

// request returns the parts of a request to a push service: RFC 8030, with the encryption of RFC 8291 and the signature of RFC 8292.
func (d *Pushes) request(ctx context.Context, to *recipient, m *message) (header http.Header, url string, body []byte, err error) {
	var e endpoint
	plain, err := d.Vault.Open(to.sealed, to.company, to.id)
	if err != nil {
		return nil, "", nil, errors.Join(errNoSecret, err)
	}
	if err := json.Unmarshal(plain, &e); err != nil {
		return nil, "", nil, err
	}
	pair, err := d.keyPair(ctx)
	if err != nil {
		return nil, "", nil, err
	}
	authorization, err := pair.authorization(e.URL, d.contact, d.Now())
	if err != nil {
		return nil, "", nil, err
	}
	payload, err := json.Marshal(m)
	if err == nil {
		body, err = e.encrypt(payload)
	}
	urgency := "normal"
	if m.urgent {
		urgency = "high"
	}
	return http.Header{
		"Authorization": {authorization}, "Content-Encoding": {"aes128gcm"}, "Content-Type": {"application/octet-stream"},
		"Ttl": {strconv.Itoa(int(ttl.Seconds()))}, "Urgency": {urgency}, "Topic": {m.topic},
	}, e.URL, body, err
}

// record stores the outcome of a request for the device, and counts it. After a failure the device is paused. A subscription that
// has changed meanwhile is neither removed nor paused.
func (o *outcome) record(tx *kernel.Tx, to *recipient, pause time.Duration) {
	switch {
	case o.sent:
		tx.Later(`UPDATE push_subscriptions SET last_used_at = $3, paused_until = NULL WHERE company = $1 AND id = $2`, to.company, to.id, tx.Now)
		tx.AfterCommit(sent.Inc)
	case o.gone:
		tx.Later(`DELETE FROM push_subscriptions WHERE company = $1 AND id = $2 AND sealed = $3`, to.company, to.id, to.sealed)
		tx.AfterCommit(removed.Inc)
	default:
		tx.Later(`
			UPDATE push_subscriptions
			SET paused_until = $4
			WHERE company = $1 AND id = $2 AND sealed = $3 AND (paused_until IS NULL OR paused_until < $4)`,
			to.company, to.id, to.sealed, tx.Now.Add(pause))
		tx.AfterCommit(failed.Inc)
	}
}

// wait returns how long to wait for the next attempt after a number of failed ones.
func (o *outcome) wait(tries int64) time.Duration {
	wait := retryWait
	for range tries - 1 {
		wait = min(3*wait, maxRetryWait)
	}
	return max(wait, min(o.retryAfter, maxPause))
}

// retryAfter parses the header Retry-After: a number of seconds or a date.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// EraseNotifications deletes the notifications about the conversations of a person that have not been sent.
func EraseNotifications(tx *kernel.Tx, e *kernel.Erasure) error {
	for _, conversation := range e.Conversations {
		tx.Later(`DELETE FROM pushes WHERE company = $1 AND conversation = $2`, e.Company, conversation)
	}
	return nil
}
