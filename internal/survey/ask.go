package survey

import (
	"context"
	"strconv"
	"strings"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/talk"
)

const (
	commentWithin = 10 * time.Minute // how long the customer has for a comment after a low rating
	highRating    = 4                // from this rating on no comment is asked for
	busyWait      = time.Minute      // how long a question waits for the end of a menu before it is tried again
)

// EventRated is raised when a customer answers a survey.
var EventRated = kernel.RegisterEvent(kernel.EventInfo{
	Type: "attendance.rated", Order: 11,
	Description: "A customer answered the satisfaction survey of an attendance. changed is [\"rating\"], and for the comment that may follow [\"comment\"].",
})

// closed decides whether a case that was just closed gets a survey. Without a delay it is sent in the same transaction.
func (d *Surveys) closed(t *talk.LockedConversation, att *talk.Attendance, by *kernel.Ref) error {
	if by == nil || att.Survey != nil && att.Survey.SentAt != nil { // it was sent before the case was reopened
		return nil
	}
	s, err := findSettings(t.Tx, t.Company)
	if err != nil || !s.Enabled {
		return err
	}
	if s.DelayMinutes == 0 {
		return d.ask(t, att, &s)
	}
	survey, err := mayAsk(t, att, &s)
	if err != nil || survey == nil {
		return err
	}
	if survey.Due {
		survey.At = new(t.Tx.Now.Add(time.Duration(s.DelayMinutes) * time.Minute))
	}
	return d.save(t, att, survey)
}

// reopened withdraws a survey that was not sent. One that was sent can be answered although the case is open again, and is not
// sent a second time when the case is closed.
func (d *Surveys) reopened(t *talk.LockedConversation, closed, att *talk.Attendance, _ *kernel.Ref) error {
	if att.Survey == nil || att.Survey.SentAt != nil {
		return nil
	}
	att.Survey = nil
	return d.talk.SaveSurvey(t.Tx, closed, att)
}

// save stores a survey of an attendance, which may be nil.
func (d *Surveys) save(t *talk.LockedConversation, att *talk.Attendance, survey *talk.Survey) error {
	before := *att
	att.Survey = survey
	return d.talk.SaveSurvey(t.Tx, &before, att)
}

// mayAsk returns a survey that is due, or one that is not sent because of the contact, the sector or an earlier survey. It
// returns nil if the conversation has no surveys.
func mayAsk(t *talk.LockedConversation, att *talk.Attendance, s *SurveySettings) (*talk.Survey, error) {
	if !s.Enabled || t.Kind != talk.KindDirect || t.Private || t.Contact == nil {
		return nil, nil
	}
	// The contact is locked because a case of the same contact on another number may be closed at the same time.
	var blocked, automation, optedOut bool
	found, err := t.Tx.One(`SELECT blocked, automation, opted_out_at IS NOT NULL AS opted_out FROM contacts WHERE company = $1 AND id = $2`+t.Tx.Dialect().Lock(` FOR NO KEY UPDATE`),
		[]any{t.Company, *t.Contact}, func(r db.Row) {
			blocked, automation, optedOut = r.Bool("blocked"), r.Bool("automation"), r.Bool("opted_out")
		})
	if err != nil || !found || blocked {
		return nil, err
	}
	none := &talk.Survey{Status: talk.SurveyNone}
	if !automation || optedOut || !s.asks(att.Sector) {
		return none, nil
	}
	if s.MinDays > 0 {
		asked, err := t.Tx.One(`
			SELECT 1 AS asked
			FROM attendances
			WHERE company = $1 AND contact = $2 AND survey_sent_at > $3
			LIMIT 1`, []any{t.Company, *t.Contact, t.Tx.Now.AddDate(0, 0, -int(s.MinDays))}, func(db.Row) {})
		if err != nil || asked {
			return none, err
		}
	}
	return &talk.Survey{Status: talk.SurveyNone, Due: true}, nil
}

// ask sends the question of a case, or stores why it is not sent. The caller saves the conversation.
func (d *Surveys) ask(t *talk.LockedConversation, att *talk.Attendance, s *SurveySettings) error {
	survey, err := mayAsk(t, att, s)
	if err != nil || survey == nil && att.Survey == nil {
		return err
	}
	if survey == nil || !survey.Due {
		return d.save(t, att, survey)
	}
	now := t.Tx.Now
	survey.Due = false
	ch, found, err := channels.FindChannel(t.Tx, t.Company, t.Channel)
	switch {
	case err != nil:
		return err
	case !found || !canSend(&ch):
		return d.save(t, att, survey)
	case t.WindowExpiresAt != nil && !now.Before(*t.WindowExpiresAt):
		survey.Status = talk.SurveySkipped
		return d.save(t, att, survey)
	}
	offer := question(att.ID, s.Question)
	if sent, err := t.SendAutomatic(ch.Provider, offer.Text(), offer); err != nil {
		return err
	} else if !sent {
		return d.save(t, att, survey)
	}
	survey.Status, survey.SentAt, survey.At = talk.SurveySent, &now, new(s.expiry(now))
	t.Survey = &att.ID
	return d.save(t, att, survey)
}

// SendDue sends up to limit questions that are due, and ends surveys and comments whose time is over. It returns how many it
// found. Several nodes may call it concurrently: each question is sent once.
func (d *Surveys) SendDue(ctx context.Context, limit int) (int, error) {
	now := d.Now()
	due, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]talk.ConversationAt, error) {
		return kernel.Rows(tx, `
			SELECT /* all companies: due work */ company, conversation
			FROM attendances
			WHERE survey_at <= $1
			ORDER BY survey_at
			LIMIT $2`, []any{now, limit}, func(r db.Row) talk.ConversationAt {
			return talk.ConversationAt{Company: r.ID("company"), ID: r.ID("conversation")}
		})
	})
	if err != nil {
		return 0, err
	}
	return len(due), d.talk.ChangeEach(ctx, due, func(t *talk.LockedConversation) error { return d.advance(t, now) })
}

// advance handles the surveys of a conversation whose time has come.
func (d *Surveys) advance(t *talk.LockedConversation, now time.Time) error {
	ids, err := t.Tx.IDs(`SELECT id FROM attendances WHERE company = $1 AND conversation = $2 AND survey_at <= $3 ORDER BY survey_at, id`,
		t.Company, t.ID, now)
	if err != nil || len(ids) == 0 {
		return err
	}
	for _, id := range ids {
		att, found, err := talk.FindAttendance(t.Tx, t.Company, id)
		if err == nil && found && att.Survey != nil {
			err = d.advanceOne(t, &att)
		}
		if err != nil {
			return err
		}
	}
	return t.Save()
}

func (d *Surveys) advanceOne(t *talk.LockedConversation, att *talk.Attendance) error {
	if !att.Survey.Due {
		return d.end(t, att)
	}
	if t.Reception != nil { // a question would confuse a customer who chooses from a menu
		survey := *att.Survey
		survey.At = new(t.Tx.Now.Add(busyWait))
		return d.save(t, att, &survey)
	}
	s, err := findSettings(t.Tx, t.Company)
	if err != nil {
		return err
	}
	return d.ask(t, att, &s)
}

// end ends a survey that waits for a rating or a comment.
func (d *Surveys) end(t *talk.LockedConversation, att *talk.Attendance) error {
	survey := *att.Survey
	survey.At = nil
	if survey.Status == talk.SurveySent {
		survey.Status = talk.SurveyExpired
	}
	if kernel.Same(t.Survey, &att.ID) {
		t.Survey = nil
	}
	return d.save(t, att, &survey)
}

// answer returns what a message of the customer does if it answers a survey: the rating from the list, a digit, or the comment
// after a low rating. It returns nil for other messages.
func (d *Surveys) answer(in *talk.InboundBatch, t *talk.BatchConversation, m *talk.Message) (func() error, error) {
	id, rating := t.Survey, int64(0)
	if m.Choice != nil {
		chosen, stars, ok := parseRow(m.Choice.ID)
		if !ok {
			return nil, nil
		}
		id, rating = &chosen, stars
	}
	if id == nil || t.Reception != nil && m.Choice == nil { // text belongs to the menu
		return nil, nil
	}
	att, found, err := talk.FindAttendance(in.Tx, t.Company, *id)
	if err != nil || !found || att.Conversation != t.ID || att.Survey == nil || att.Survey.At == nil {
		return nil, err
	}
	if !in.Tx.Now.Before(*att.Survey.At) {
		return nil, d.end(t.LockedConversation, &att)
	}
	isText := m.Choice == nil && m.Type == provider.TypeText && m.Text != nil
	switch att.Survey.Status {
	case talk.SurveySent:
		if isText && !m.CreatedAt.Before(att.Survey.SentAt.Add(-clockSkew)) {
			rating = digit(*m.Text)
		}
		if rating > 0 {
			return func() error { return d.rate(in, t, &att, rating) }, nil
		}
	case talk.SurveyAnswered:
		if isText && kernel.Same(t.Survey, &att.ID) {
			return func() error { return d.comment(in, t, &att, *m.Text) }, nil
		}
	}
	return nil, nil
}

// clockSkew is how much earlier than the question a digit may have been written, because the provider has another clock.
const clockSkew = time.Minute

// rate stores a rating and asks for a comment if it is low.
func (d *Surveys) rate(in *talk.InboundBatch, t *talk.BatchConversation, att *talk.Attendance, rating int64) error {
	s, err := findSettings(in.Tx, t.Company)
	if err != nil {
		return err
	}
	now := in.Tx.Now
	survey := *att.Survey
	survey.Status, survey.Rating, survey.AnsweredAt, survey.At = talk.SurveyAnswered, &rating, &now, nil
	reply := s.Thanks
	may, err := t.MayAutomate()
	if err != nil {
		return err
	}
	if kernel.Same(t.Survey, &att.ID) {
		t.Survey = nil
	}
	if rating < highRating && s.LowQuestion != nil && mayReply(in, t) && t.Reception == nil {
		reply = s.LowQuestion
		if may { // otherwise the question fails
			survey.At, t.Survey = new(now.Add(commentWithin)), &att.ID
		}
	}
	return d.answered(in, t, att, &survey, "rating", reply)
}

// comment stores the comment of a low rating.
func (d *Surveys) comment(in *talk.InboundBatch, t *talk.BatchConversation, att *talk.Attendance, text string) error {
	s, err := findSettings(in.Tx, t.Company)
	if err != nil {
		return err
	}
	survey := *att.Survey
	survey.Comment, survey.At = &text, nil
	t.Survey = nil
	return d.answered(in, t, att, &survey, "comment", s.Thanks)
}

// answered stores a changed survey, raises the event and sends a reply, which may be nil.
func (d *Surveys) answered(
	in *talk.InboundBatch, t *talk.BatchConversation, att *talk.Attendance, survey *talk.Survey, changed string, reply *string,
) error {
	if err := d.save(t.LockedConversation, att, survey); err != nil {
		return err
	}
	if err := t.EmitAttendance(EventRated, att, "changed", []string{changed}); err != nil {
		return err
	}
	if reply == nil || !mayReply(in, t) {
		return nil
	}
	_, err := in.SendAutomatic(t, *reply, nil)
	return err
}

// mayReply reports whether a customer who answered may get another automatic message.
func mayReply(in *talk.InboundBatch, t *talk.BatchConversation) bool {
	return t.Automation && !t.Private && canSend(&in.Channel)
}

const (
	rowPrefix  = "survey:"
	listButton = "★ 1–5" // needs no translation
	maxRating  = 5
)

// question returns the message with the five ratings of a case.
func question(attendance kernel.ID, text string) *provider.Interactive {
	var rows []provider.InteractiveRow
	for rating := 1; rating <= maxRating; rating++ {
		n := strconv.Itoa(rating)
		rows = append(rows, provider.InteractiveRow{ID: rowPrefix + attendance.String() + ":" + n, Title: n + " " + strings.Repeat("★", rating)})
	}
	return &provider.Interactive{
		Body: text, List: &provider.InteractiveList{Button: listButton, Sections: []provider.InteractiveSection{{Rows: rows}}},
	}
}

// parseRow parses the id of a row: the case and its rating.
func parseRow(id string) (attendance kernel.ID, rating int64, ok bool) {
	text, found := strings.CutPrefix(id, rowPrefix)
	at, n, separated := strings.Cut(text, ":")
	if !found || !separated {
		return attendance, 0, false
	}
	attendance, ok = kernel.ParseID(at)
	rating = digit(n)
	return attendance, rating, ok && rating > 0
}

// digit returns the rating of a text that is only a digit from 1 to 5, or 0.
func digit(text string) int64 {
	text = strings.TrimSpace(text)
	text = strings.NewReplacer("\uFE0F", "", "\u20E3", "").Replace(text) // keycap emoji
	if len(text) != 1 || text[0] < '1' || text[0] > '0'+maxRating {
		return 0
	}
	return int64(text[0] - '0')
}
