package talk

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
)

// The states of a scheduled message.
const (
	ScheduledWaiting   = "scheduled"
	ScheduledSent      = "sent"
	ScheduledFailed    = "failed"
	ScheduledCancelled = "cancelled"
)

// Limits of scheduled messages.
const (
	MinSchedule  = time.Minute         // from now
	MaxSchedule  = 90 * 24 * time.Hour // from now
	MaxScheduled = 50                  // unsent ones per conversation
	ScheduleLate = time.Hour           // a message that is later than this is not sent
)

// WarningWindow means that WhatsApp will probably refuse a scheduled text because the service window will be closed.
const WarningWindow = "service_window"

// Error codes of messages that are sent later.
const (
	ErrorTooLate       = "too_late" // only scheduled messages
	ErrorSenderRemoved = "sender_removed"
)

// ScheduledMessage is a message that is sent later.
type ScheduledMessage struct {
	ID            kernel.ID          `json:"id"`
	ClientID      kernel.ID          `json:"client_id" doc:"The client_id of the scheduled message and of the message that is sent."`
	Conversation  kernel.ID          `json:"conversation"`
	Status        string             `json:"status" enum:"scheduled,sent,failed,cancelled"`
	SendAt        time.Time          `json:"send_at"`
	Text          *string            `json:"text"`
	MediaID       *kernel.ID         `json:"media_id"`
	Template      *ScheduledTemplate `json:"template"`
	CancelOnReply bool               `json:"cancel_on_reply" doc:"Whether the message is cancelled if the customer writes before it is sent."`
	Message       *kernel.ID         `json:"message" doc:"The message, after it has been sent."`
	Error         *provider.Reason   `json:"error" doc:"The reason why sending failed, or null."`
	Warning       *string            `json:"warning" enum:"service_window" doc:"service_window: at send_at, more than 24 hours will have passed since the customer's last message, and WhatsApp will accept only templates."`
	CreatedBy     kernel.Ref         `json:"created_by" doc:"The person on whose behalf the message is sent."`
	CreatedAt     time.Time          `json:"created_at"`
	UpdatedAt     time.Time          `json:"updated_at"`

	Company kernel.ID  `json:"-"`
	Key     *kernel.ID `json:"-"` // the API key that created it; nil: a member did in the app
}

// Subject returns the conversation of the message.
func (s *ScheduledMessage) Subject() kernel.Subject {
	return kernel.Subject{Kind: SubjectConversation, ID: s.Conversation}
}

// ScheduledTemplate is the template of a scheduled message.
type ScheduledTemplate struct {
	Name       string               `json:"name"`
	Language   string               `json:"language"`
	Parameters []ScheduledParameter `json:"parameters"`
}

// ScheduledParameter is a parameter of a scheduled template.
type ScheduledParameter struct {
	Name      string     `json:"name,omitempty"`
	Text      string     `json:"text,omitempty"`
	Component string     `json:"component,omitempty" doc:"Defaults to body."`
	MediaID   *kernel.ID `json:"media_id,omitempty"`
}

// Template returns the template to send, or nil if t is nil.
func (t *ScheduledTemplate) Template() *provider.Template {
	return sameJSON[channels.TemplateBody](t).Template()
}

// sameJSON converts a value to a type that has the same form in JSON. Nil stays nil.
func sameJSON[T, F any](from *F) *T {
	if from == nil {
		return nil
	}
	return kernel.FromJSON[T](*kernel.WriteJSON(from))
}

// Warn sets or clears Warning.
func (s *ScheduledMessage) Warn(c *Conversation) {
	s.Warning = nil
	closed := c.LastInboundAt == nil || s.SendAt.Sub(*c.LastInboundAt) >= ServiceWindow
	if s.Status == ScheduledWaiting && c.Windowed && s.Template == nil && closed {
		s.Warning = new(WarningWindow)
	}
}

// NewScheduled is a message to schedule.
type NewScheduled struct {
	ClientID      kernel.ID
	SendAt        time.Time
	Text          *string
	MediaID       *kernel.ID
	Template      *channels.TemplateBody
	CancelOnReply bool
}

// ScheduledChange lists the fields of a scheduled message to change; nil fields stay as they are. If one of Text, MediaID and
// Template is set, the three replace the content.
type ScheduledChange struct {
	SendAt        *time.Time
	Text          *string
	MediaID       *kernel.ID
	Template      *channels.TemplateBody
	CancelOnReply *bool
}

// ScheduledQuery selects a page of the scheduled messages of a conversation.
type ScheduledQuery struct {
	httpserver.AtID
	Status string `query:"status" enum:"scheduled,sent,failed,cancelled" doc:"Returns only scheduled messages with this status. Defaults to all."`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" doc:"The next_cursor of the previous page."`
}

// ScheduledMessages lists the scheduled messages of a conversation by descending SendAt. next is "" on the last page.
func (d *Talk) ScheduledMessages(ctx context.Context, a *kernel.Principal, q *ScheduledQuery) (page []ScheduledMessage, next string, err error) {
	conversation := kernel.ID(q.ID)
	list := "scheduled " + q.Status + " " + conversation.String()
	var sendAt int64
	var after kernel.ID
	if err := d.openCursor(a, list, q.Cursor, &sendAt, &after); err != nil {
		return nil, "", err
	}
	page, err = kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]ScheduledMessage, error) {
		c, err := visibleConversation(tx, a, conversation)
		if err != nil {
			return nil, err
		}
		page, err := listScheduled(tx, a.Company.ID, conversation, q.Status, sendAt, after, q.Limit+1)
		for i := range page {
			page[i].Warn(&c)
		}
		return page, err
	})
	if err == nil && len(page) > q.Limit {
		page = page[:q.Limit]
		last := &page[q.Limit-1]
		next = d.Cursors.Seal(a.Company.ID, list, kernel.IntID(last.SendAt.UnixMilli(), last.ID))
	}
	return page, next, err
}

// ScheduleMessage stores a message that will be sent later in the name of the caller. The rules of sending are checked now,
// except for the service window, and again when it is sent. If the conversation already has a scheduled message with this
// client id, ScheduleMessage returns it, and replayed is true.
func (d *Talk) ScheduleMessage(ctx context.Context, a *kernel.Principal, conversation kernel.ID, in NewScheduled) (s ScheduledMessage, replayed bool, err error) {
	if in.ClientID.IsZero() {
		return s, false, kernel.Malformed("body.client_id", "nonzero_uuid")
	}
	s = ScheduledMessage{
		ID: kernel.NewID(), ClientID: in.ClientID, Company: a.Company.ID, Conversation: conversation, Status: ScheduledWaiting,
		SendAt: in.SendAt.UTC().Truncate(time.Millisecond), Text: in.Text, MediaID: in.MediaID, Template: sameJSON[ScheduledTemplate](in.Template),
		CancelOnReply: in.CancelOnReply, CreatedBy: a.User,
	}
	if a.Kind() == kernel.KindKey {
		s.Key = &a.Key
	}
	invalid := s.content().check()
	out, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (createdScheduled, error) {
		o, visible, err := lockOutbox(tx, a.Company.ID, conversation, in.ClientID, a.User.ID)
		visible = visible && MaySee(a, &o.Conversation)
		var earlier ScheduledMessage
		found := false
		if err == nil && visible {
			earlier, found, err = selectScheduled(tx, `s.company = $1 AND s.client_id = $2`, a.Company.ID, in.ClientID)
		}
		switch {
		case err != nil:
			return createdScheduled{}, err
		case invalid != nil && !found: // validation errors come first, except for a repeated request
			return createdScheduled{}, invalid
		case !visible:
			return createdScheduled{}, kernel.NotFound("conversation")
		case found && earlier.Conversation == conversation:
			earlier.Warn(&o.Conversation)
			return createdScheduled{earlier, true}, nil
		case found || o.Earlier:
			return createdScheduled{}, errScheduledClientID()
		}
		s := s
		s.CreatedAt, s.UpdatedAt = tx.Now, tx.Now
		err = d.createScheduled(tx, a, &o, &s)
		return createdScheduled{message: s}, err
	})
	return out.message, out.replayed, err
}

// createdScheduled is the result of ScheduleMessage.
type createdScheduled struct {
	message  ScheduledMessage
	replayed bool
}

// createScheduled validates and stores a new scheduled message.
func (d *Talk) createScheduled(tx *kernel.Tx, a *kernel.Principal, o *Outbox, s *ScheduledMessage) error {
	if err := d.checkScheduled(tx, a, o, s); err != nil {
		return err
	}
	var n int64
	_, err := tx.One(`SELECT COUNT(*) AS total FROM scheduled_messages WHERE company = $1 AND conversation = $2 AND status = 'scheduled'`,
		[]any{s.Company, s.Conversation}, func(r db.Row) { n = r.Int("total") })
	if err != nil {
		return err
	}
	if n >= MaxScheduled {
		return kernel.LimitReached("scheduled messages in one conversation", MaxScheduled)
	}
	// A concurrent request may have used the client id in another conversation.
	if inserted, err := insertScheduled(tx, s); err != nil || !inserted {
		return kernel.ErrOr(err, errScheduledClientID())
	}
	d.signalScheduled(tx, &o.Conversation)
	return nil
}

func errScheduledClientID() error {
	return kernel.Errorf(kernel.CodeClientIDConflict, "This client_id belongs to another message. Send a new one.")
}

// checkScheduled validates the time and the content, and checks the rules of sending. It sets the warning.
func (d *Talk) checkScheduled(tx *kernel.Tx, a *kernel.Principal, o *Outbox, s *ScheduledMessage) error {
	if ahead := s.SendAt.Sub(tx.Now); ahead < MinSchedule || ahead > MaxSchedule {
		return kernel.Invalid("body.send_at", ruleScheduleRange, "must be between 1 minute and 90 days from now",
			kernel.Params{"min_seconds": int(MinSchedule.Seconds()), "max_seconds": int(MaxSchedule.Seconds())})
	}
	t := d.Locked(tx, o.Conversation)
	m := &Message{Conversation: t.ID, Company: t.Company, Channel: t.Channel, Text: s.Text}
	if err := d.fillMessage(tx, a, m, o, s.content()); err != nil {
		return err
	}
	if err := mayWrite(t, a, o); err != nil {
		return err
	}
	s.Warn(&t.Conversation)
	return nil
}

// UpdateScheduled changes a message that is not sent yet. Only the member who scheduled it may.
func (d *Talk) UpdateScheduled(ctx context.Context, a *kernel.Principal, id kernel.ID, in ScheduledChange) (ScheduledMessage, error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (ScheduledMessage, error) {
		s, o, err := d.lockScheduled(tx, a, id)
		if err != nil {
			return s, err
		}
		if s.CreatedBy.ID != a.User.ID {
			return s, kernel.Errorf(kernel.CodeInsufficientRole, "Only the person who scheduled a message may change it.")
		}
		if in.SendAt != nil {
			s.SendAt = in.SendAt.UTC().Truncate(time.Millisecond)
		}
		kernel.Set(&s.CancelOnReply, in.CancelOnReply)
		if in.Text != nil || in.MediaID != nil || in.Template != nil {
			s.Text, s.MediaID, s.Template = in.Text, in.MediaID, sameJSON[ScheduledTemplate](in.Template)
		}
		if invalid := s.content().check(); invalid != nil {
			return s, invalid
		}
		if err := d.checkScheduled(tx, a, o, &s); err != nil {
			return s, err
		}
		d.saveScheduled(tx, &o.Conversation, &s)
		return s, nil
	})
}

// CancelScheduled cancels a message that is not sent yet. The member who scheduled it may, the responsible member, and
// managers and above.
func (d *Talk) CancelScheduled(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		s, o, err := d.lockScheduled(tx, a, id)
		if err != nil {
			return err
		}
		if s.CreatedBy.ID != a.User.ID && !kernel.Same(o.Conversation.Assignee, &a.User.ID) && !a.Role.AtLeast(kernel.RoleManager) {
			return kernel.Errorf(kernel.CodeInsufficientRole,
				"Only the person who scheduled a message, the responsible person and members with the role manager or above may cancel it.")
		}
		s.Status = ScheduledCancelled
		d.saveScheduled(tx, &o.Conversation, &s)
		return nil
	})
}

// lockScheduled locks the conversation of a message that is not sent yet and returns both.
func (d *Talk) lockScheduled(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (s ScheduledMessage, o *Outbox, err error) {
	s, found, err := scheduledMessage(tx, a.Company.ID, id)
	var box Outbox
	if err == nil && found {
		box, found, err = lockOutbox(tx, a.Company.ID, s.Conversation, s.ClientID, a.User.ID)
		found = found && MaySee(a, &box.Conversation)
	}
	if err == nil && found {
		s, found, err = scheduledMessage(tx, a.Company.ID, id) // it may have been sent before the conversation was locked
	}
	if err != nil || !found {
		return s, nil, kernel.ErrOr(err, kernel.NotFound("scheduled message"))
	}
	if s.Status != ScheduledWaiting {
		return s, nil, kernel.Errorf(kernel.CodeNotScheduled, "This message is no longer scheduled: it is %s.", s.Status)
	}
	return s, &box, nil
}

// content returns the message to send.
func (s *ScheduledMessage) content() *NewMessage {
	return &NewMessage{ClientID: s.ClientID, Text: s.Text, MediaID: s.MediaID, Template: s.Template.Template()}
}

// saveScheduled stores a changed message and signals the change.
func (d *Talk) saveScheduled(tx *kernel.Tx, c *Conversation, s *ScheduledMessage) {
	s.UpdatedAt = tx.Now
	code, detail := s.Error.Columns()
	tx.Later(`
		UPDATE scheduled_messages
		SET text = $3, media = $4, template = $5, cancel_on_reply = $6, send_at = $7, status = $8, message = $9, error_code = $10,
			error_detail = $11, updated_at = $12
		WHERE company = $1 AND id = $2`,
		s.Company, s.ID, s.Text, s.MediaID, kernel.WriteJSON(s.Template), s.CancelOnReply, s.SendAt, s.Status, s.Message, code, detail, s.UpdatedAt)
	d.signalScheduled(tx, c)
}

// signalScheduled notifies live streams after the commit that the scheduled messages of a conversation changed.
func (d *Talk) signalScheduled(tx *kernel.Tx, c *Conversation) {
	s := conversationSignal(signalScheduled, c.Company, c.ID, kernel.Audience{Seeing: c.Visibility()})
	tx.AfterCommit(func() { d.Signal(s) })
}

// SendScheduled sends up to limit due messages and returns how many were due. Each message is sent and marked as sent in one
// transaction that locks its conversation, so that several nodes can run it concurrently, and a crash neither loses a message
// nor sends it twice.
func (d *Talk) SendScheduled(ctx context.Context, limit int) (int, error) {
	due, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Due, error) {
		return kernel.Rows(tx, `
			SELECT /* all companies: due work */ company, id, conversation, client_id, member
			FROM scheduled_messages
			WHERE status = 'scheduled' AND send_at <= $1
			ORDER BY send_at, id
			LIMIT $2`, []any{tx.Now, limit}, func(r db.Row) Due {
			return Due{r.ID("company"), r.ID("id"), r.ID("conversation"), r.ID("client_id"), r.ID("member")}
		})
	})
	if err != nil {
		return 0, err
	}
	byConversation := map[kernel.ID][]Due{} // ordered by time
	for _, s := range due {
		byConversation[s.Conversation] = append(byConversation[s.Conversation], s)
	}
	var g errgroup.Group
	g.SetLimit(8)
	for _, batch := range byConversation {
		g.Go(func() error {
			for _, s := range batch {
				if err := d.sendOneScheduled(kernel.ForCompany(ctx, s.Company), s); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return len(due), g.Wait()
}

// sendOneScheduled sends a message or marks it as failed. After a temporary error it stays scheduled.
func (d *Talk) sendOneScheduled(ctx context.Context, due Due) error {
	err := d.Store.Write(ctx, func(tx *kernel.Tx) error { return d.sendScheduled(tx, due) })
	refused, known := errors.AsType[*kernel.Error](err)
	temporary := []kernel.Code{kernel.CodeUnavailable, kernel.CodeUncertain, kernel.CodeRateLimited, kernel.CodeStorageFull}
	if !known || slices.Contains(temporary, refused.Code) {
		return err
	}
	params := refused.Params
	if params == nil && len(refused.Fields) > 0 {
		params = refused.Fields[0].Cause()
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		return d.failScheduled(tx, due, new(provider.NewReason(string(refused.Code), refused.Message, params)))
	})
}

// sendScheduled sends a message in the name of the member or API key that scheduled it.
func (d *Talk) sendScheduled(tx *kernel.Tx, due Due) error {
	o, s, err := lockDue(tx, due)
	if err != nil || s == nil {
		return err
	}
	if tx.Now.Sub(s.SendAt) > ScheduleLate {
		return kernel.Errorf(ErrorTooLate, "It was due more than an hour ago, while the server was not running.")
	}
	a, err := d.senderOf(tx, s.Company, s.CreatedBy, s.Key)
	if err != nil {
		return err
	}
	if err := a.May(VerbSendMessage); err != nil {
		return err
	}
	if !MaySee(a, &o.Conversation) {
		return kernel.Errorf(kernel.CodeNotVisible, "%s can no longer see this conversation.", a.User.Name)
	}
	var sent accepted
	if o.Earlier {
		sent, err = sentBefore(tx, a, s.Conversation, s.ClientID)
	} else {
		sent, err = d.send(tx, a, o, s.content())
	}
	if err != nil {
		return err
	}
	s.Status, s.Message = ScheduledSent, &sent.message.ID
	d.saveScheduled(tx, &o.Conversation, s)
	return nil
}

// lockDue locks the conversation of a due message and returns both. It returns nil if the message is no longer due.
func lockDue(tx *kernel.Tx, due Due) (*Outbox, *ScheduledMessage, error) {
	o, found, err := lockOutbox(tx, due.Company, due.Conversation, due.ClientID, due.Member)
	if err != nil || !found {
		return nil, nil, err
	}
	s, found, err := scheduledMessage(tx, due.Company, due.ID)
	if err != nil || !found || s.Status != ScheduledWaiting || s.SendAt.After(tx.Now) || s.Conversation != due.Conversation {
		return nil, nil, err
	}
	return &o, &s, nil
}

// senderOf returns the principal that scheduled or held a message, with its current permissions. key is nil if a member did in the
// app.
func (d *Talk) senderOf(tx *kernel.Tx, of kernel.ID, member kernel.Ref, keyID *kernel.ID) (*kernel.Principal, error) {
	return people.Acting(tx, kernel.Company{ID: of}, member, keyID)
}

// failScheduled marks a message as failed and notifies the member who scheduled it or, for an API key, the responsible member.
func (d *Talk) failScheduled(tx *kernel.Tx, due Due, reason *provider.Reason) error {
	o, s, err := lockDue(tx, due)
	if err != nil || s == nil {
		return err
	}
	s.Status, s.Error = ScheduledFailed, reason
	d.saveScheduled(tx, &o.Conversation, s)
	t := d.Locked(tx, o.Conversation)
	if s.Key == nil {
		_, err := t.notifyIfSeen(NotifyMessageFailed, nil, nil, s.CreatedBy.ID)
		return err
	}
	return t.notifyHolder(NotifyMessageFailed, nil)
}

type scheduleInput struct {
	httpserver.AtID
	Body struct {
		ClientID      kernel.ID              `json:"client_id" doc:"A UUID that you choose for each message, also used as the client_id of the message. If you send it again, the response contains the existing scheduled message."`
		SendAt        time.Time              `json:"send_at" doc:"The time to send the message, between 1 minute and 90 days from now."`
		Text          *string                `json:"text,omitempty" minLength:"0" maxLength:"4096" doc:"The text. Required unless media_id is sent; with media_id, this is the caption, at most 1024 characters."`
		MediaID       *kernel.ID             `json:"media_id,omitempty" doc:"The id of a file uploaded with POST /media."`
		Template      *channels.TemplateBody `json:"template,omitempty" doc:"The template to send instead of text or media_id."`
		CancelOnReply bool                   `json:"cancel_on_reply,omitempty" doc:"Whether to cancel the message if the customer writes before it is sent."`
	}
}

type scheduledOutput struct {
	Replayed string `header:"Idempotency-Replayed" doc:"Whether the conversation already had a scheduled message with this client_id, in which case nothing was added."`
	Body     ScheduledMessage
}

func (s *handlers) scheduleMessage(ctx context.Context, a *kernel.Principal, in *scheduleInput) (*scheduledOutput, error) {
	response := httpserver.Shaped(ctx, func(c *createdScheduled) *scheduledOutput {
		return &scheduledOutput{httpserver.Replayed(c.replayed), c.message}
	})
	scheduled, replayed, err := s.verbs.ScheduleMessage(ctx, a, kernel.ID(in.ID), NewScheduled(in.Body))
	return response(&createdScheduled{scheduled, replayed}), err
}

type updateScheduledInput struct {
	httpserver.AtID
	Body struct {
		SendAt        *time.Time             `json:"send_at,omitempty" doc:"The time to send the message, between 1 minute and 90 days from now."`
		Text          *string                `json:"text,omitempty" minLength:"0" maxLength:"4096" doc:"text, media_id and template together replace the content of the message."`
		MediaID       *kernel.ID             `json:"media_id,omitempty"`
		Template      *channels.TemplateBody `json:"template,omitempty"`
		CancelOnReply *bool                  `json:"cancel_on_reply,omitempty"`
	} `required:"false"`
}

func (s *handlers) updateScheduled(ctx context.Context, a *kernel.Principal, in *updateScheduledInput) (*httpserver.Reply[ScheduledMessage], error) {
	return httpserver.Body(s.verbs.UpdateScheduled(ctx, a, kernel.ID(in.ID), ScheduledChange(in.Body)))
}

const scheduledColumns = `
	s.id, s.client_id, s.company, s.conversation, s.status, s.send_at, s.text, s.media, s.cancel_on_reply, s.message, s.member,
	u.name AS member_name, s.key_id, s.created_at, s.updated_at, s.template, s.error_code, s.error_detail`

func scanScheduled(r db.Row) ScheduledMessage {
	return ScheduledMessage{
		ID: r.ID("id"), ClientID: r.ID("client_id"), Company: r.ID("company"), Conversation: r.ID("conversation"), Status: r.Text("status"),
		SendAt: r.Time("send_at"), Text: r.NullText("text"), MediaID: r.NullID("media"), CancelOnReply: r.Bool("cancel_on_reply"),
		Message: r.NullID("message"), CreatedBy: kernel.Ref{ID: r.ID("member"), Name: r.Text("member_name")}, Key: r.NullID("key_id"),
		CreatedAt: r.Time("created_at"), UpdatedAt: r.Time("updated_at"), Template: kernel.ReadJSON[ScheduledTemplate](r, "template"),
		Error: scanReason(r),
	}
}

// listScheduled returns up to limit scheduled messages of a conversation by descending time, after the position unless its id is
// zero. status "" means all.
func listScheduled(
	tx *kernel.Tx, company, conversation kernel.ID, status string, sendAt int64, after kernel.ID, limit int,
) ([]ScheduledMessage, error) {
	q := tx.Statement()
	q.WriteString(`
		SELECT` + scheduledColumns + `
		FROM scheduled_messages s
		JOIN users u ON u.company = s.company AND u.id = s.member
		WHERE s.company = ` + q.Arg(company) + ` AND s.conversation = ` + q.Arg(conversation))
	if status != "" {
		q.And("s.status = " + q.Arg(status))
	}
	if !after.IsZero() {
		q.And("(s.send_at, s.id) < (" + q.Arg(sendAt) + ", " + q.Arg(after) + ")")
	}
	q.WriteString("\n\t\tORDER BY s.send_at DESC, s.id DESC\n\t\tLIMIT " + q.Arg(limit))
	return kernel.Rows(tx, q.String(), q.Args, scanScheduled)
}

func scheduledMessage(tx *kernel.Tx, company, id kernel.ID) (ScheduledMessage, bool, error) {
	return selectScheduled(tx, `s.company = $1 AND s.id = $2`, company, id)
}

func selectScheduled(tx *kernel.Tx, where string, args ...any) (s ScheduledMessage, found bool, err error) {
	found, err = tx.One(`
		SELECT`+scheduledColumns+`
		FROM scheduled_messages s
		JOIN users u ON u.company = s.company AND u.id = s.member
		WHERE `+where, args, func(r db.Row) { s = scanScheduled(r) })
	return s, found, err
}

// insertScheduled stores a scheduled message. It returns false if the company already has one with this client id.
func insertScheduled(tx *kernel.Tx, s *ScheduledMessage) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO scheduled_messages (company, id, conversation, client_id, member, key_id, text, media, template, cancel_on_reply, send_at,
			status, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)
		ON CONFLICT DO NOTHING`,
		s.Company, s.ID, s.Conversation, s.ClientID, s.CreatedBy.ID, s.Key, s.Text, s.MediaID, kernel.WriteJSON(s.Template),
		s.CancelOnReply, s.SendAt, s.Status, s.CreatedAt)
	return n == 1, err
}

// Due identifies a scheduled message that is due.
type Due struct {
	Company      kernel.ID
	ID           kernel.ID
	Conversation kernel.ID
	ClientID     kernel.ID
	Member       kernel.ID
}
