package admin

import (
	"time"

	"recado/internal/kernel"
	"recado/internal/talk"
)

// ratings are those of the last closed cases, newest first. Zero: the question was not answered.
var ratings = []struct {
	rating  int64
	comment string
}{
	{5, ""}, {4, ""}, {0, ""}, {5, ""}, {2, "Demorou muito para responder."}, {5, ""}, {0, ""}, {3, "O pedido veio incompleto, mas resolveram."}, {5, ""}, {4, ""},
}

// ratings adds answers of customers to closed cases, for the report. The survey itself stays disabled, because the demo sends
// no automatic messages.
func (m *maker) ratings() error {
	page, _, err := m.desk.Talk.Attendances(m.ctx, m.owner, talk.AttendanceFilter{Status: talk.AttendanceClosed, Limit: 100})
	if err != nil {
		return err
	}
	return m.desk.Kernel.Store.Write(m.ctx, func(tx *kernel.Tx) error {
		n := 0
		for _, att := range page {
			if att.Private || att.ClosedBy == nil || att.Contact.ID == nil || n == len(ratings) {
				continue
			}
			before := att
			r := ratings[n]
			n++
			att.Survey = &talk.Survey{Status: talk.SurveyExpired, SentAt: att.ClosedAt}
			if r.rating > 0 {
				att.Survey = &talk.Survey{
					Status: talk.SurveyAnswered, SentAt: att.ClosedAt, AnsweredAt: new(att.ClosedAt.Add(4 * time.Minute)), Rating: &r.rating,
					Comment: kernel.TextOrNil(r.comment),
				}
			}
			if err := m.desk.Talk.SaveSurvey(tx, &before, &att); err != nil {
				return err
			}
		}
		return nil
	})
}
