// Package survey asks customers how satisfied they are after a person has closed their case.
package survey

import (
	"context"
	"slices"
	"strings"
	"time"

	"recado/internal/channels"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/talk"
)

// Surveys has the verbs of the package.
type Surveys struct {
	*kernel.Kernel
	talk *talk.Talk
}

// New returns the verbs of surveys. From then on customers are asked when a person closes their case.
func New(t *talk.Talk, p *people.People) *Surveys {
	d := &Surveys{Kernel: p.Kernel, talk: t}
	t.Observe(talk.Observer{Closed: d.closed, Reopened: d.reopened, AnswersSurvey: d.answer})
	return d
}

// SurveySettings are the company's settings for surveys.
type SurveySettings struct {
	Enabled      bool        `json:"enabled"`
	Question     string      `json:"question" doc:"The text of the message with the five ratings."`
	LowQuestion  *string     `json:"low_question" doc:"Sent after a rating from 1 to 3. The customer's next text within 10 minutes is the comment. null asks for no comment."`
	Thanks       *string     `json:"thanks" doc:"Sent after the rating, or after the comment if one is asked for; null sends nothing."`
	SectorIDs    []kernel.ID `json:"sector_ids" doc:"The sectors whose cases have a survey; empty means all cases."`
	DelayMinutes int64       `json:"delay_minutes" doc:"The number of minutes between the closing and the question."`
	MinDays      int64       `json:"min_days" doc:"A contact is asked at most once in this number of days; 0 means after every case."`
	ValidHours   int64       `json:"valid_hours" doc:"The number of hours in which the question can be answered."`
}

// The limits and defaults of the settings.
const (
	MaxQuestion       = 300
	MaxText           = 1024 // of the other texts
	DefaultMinDays    = 30
	DefaultValidHours = 48
	DefaultQuestion   = "Como você avalia o nosso atendimento?"
)

// The verbs of surveys.
var (
	VerbSurvey    = kernel.Listed(kernel.Verb{Name: "Survey", Scope: people.ScopeCompanyManage})
	VerbSetSurvey = kernel.Listed(kernel.Verb{Name: "SetSurvey", Scope: people.ScopeCompanyManage, Role: kernel.RoleAdmin})
)

// HTTP returns the routes of the package.
func (d *Surveys) HTTP() httpserver.Capability {
	changed := map[string]any{
		"type": "array", "items": map[string]any{"type": "string", "enum": []string{"rating", "comment"}}, "description": "The part of the survey that is new.",
	}
	return httpserver.Capability{
		Events: []httpserver.Event{talk.AttendanceEvent(EventRated, httpserver.EventPart{Name: "changed", Schema: changed})},
		Routes: []*httpserver.Route{
			httpserver.Get("/company/survey", VerbSurvey, "Get the satisfaction survey", httpserver.NoInput(d.Survey)),
			httpserver.Put("/company/survey", VerbSetSurvey, "Set the satisfaction survey", d.setSurvey,
				httpserver.Named("setSurvey"),
				httpserver.Example(`{"enabled": true, "question": "Como você avalia o nosso atendimento?", "low_question": "O que podemos melhorar?", "thanks": "Obrigado!", "min_days": 30}`),
				httpserver.About("Requires the role admin or owner. When a person closes a case, its customer gets the question with a list of five ratings, "+
					"if WhatsApp's 24-hour window is still open. The customer answers with the list or with a digit from 1 to 5. The answer opens no case. "+
					"Groups, blocked contacts, private numbers, contacts without automation and contacts that have opted out are never asked. Omitted fields get their defaults.")),
		},
	}
}

type setSurveyInput struct {
	Body struct {
		Enabled      bool                    `json:"enabled,omitempty"`
		Question     string                  `json:"question,omitempty" maxLength:"300" doc:"The text of the message with the five ratings. Required if the survey is enabled."`
		LowQuestion  kernel.Optional[string] `json:"low_question,omitempty" required:"false" doc:"Sent after a rating from 1 to 3, at most 1024 characters; null asks for no comment."`
		Thanks       kernel.Optional[string] `json:"thanks,omitempty" required:"false" doc:"Sent at the end, at most 1024 characters; null sends nothing."`
		SectorIDs    []kernel.ID             `json:"sector_ids,omitempty" maxItems:"1000" doc:"The sectors whose cases have a survey; empty means all cases."`
		DelayMinutes int64                   `json:"delay_minutes,omitempty" minimum:"0" maximum:"1440" doc:"The number of minutes between the closing and the question."`
		MinDays      *int64                  `json:"min_days,omitempty" minimum:"0" maximum:"365" doc:"A contact is asked at most once in this number of days; 0 means after every case. Defaults to 30."`
		ValidHours   *int64                  `json:"valid_hours,omitempty" minimum:"1" maximum:"168" doc:"The number of hours in which the question can be answered. Defaults to 48."`
	}
}

func (d *Surveys) setSurvey(ctx context.Context, a *kernel.Principal, in *setSurveyInput) (*httpserver.Reply[SurveySettings], error) {
	b := in.Body
	s := SurveySettings{
		Enabled: b.Enabled, Question: b.Question, LowQuestion: b.LowQuestion.Pointer(), Thanks: b.Thanks.Pointer(),
		SectorIDs: b.SectorIDs, DelayMinutes: b.DelayMinutes, MinDays: DefaultMinDays, ValidHours: DefaultValidHours,
	}
	kernel.Set(&s.MinDays, b.MinDays)
	kernel.Set(&s.ValidHours, b.ValidHours)
	return httpserver.Body(d.SetSurvey(ctx, a, s))
}

// Survey returns the company's settings for surveys.
func (d *Surveys) Survey(ctx context.Context, a *kernel.Principal) (SurveySettings, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (SurveySettings, error) { return findSettings(tx, a.Company.ID) })
}

// SetSurvey replaces the company's settings for surveys. Surveys that are not sent yet follow the new settings.
func (d *Surveys) SetSurvey(ctx context.Context, a *kernel.Principal, s SurveySettings) (SurveySettings, error) {
	if invalid := s.check(); invalid != nil {
		return s, invalid
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (SurveySettings, error) {
		s := s
		s.SectorIDs = slices.Clone(s.SectorIDs)
		if err := people.CheckSectors(tx, a, s.SectorIDs); err != nil {
			return s, err
		}
		before, err := findSettings(tx, a.Company.ID)
		saveSettings(tx, a.Company.ID, &s)
		tx.AuditNoun(a, kernel.AuditSubject{Type: "survey"}, before, s)
		return s, err
	})
}

// check validates the texts. Blank texts become nil.
func (s *SurveySettings) check() *kernel.Error {
	validate := kernel.OptionalText
	if s.Enabled {
		validate = kernel.Text
	}
	if _, invalid := validate("body.question", s.Question, MaxQuestion); invalid != nil {
		return invalid
	}
	for _, f := range []struct {
		field string
		text  **string
	}{{"body.low_question", &s.LowQuestion}, {"body.thanks", &s.Thanks}} {
		if *f.text == nil {
			continue
		}
		if _, invalid := kernel.OptionalText(f.field, **f.text, MaxText); invalid != nil {
			return invalid
		}
		if strings.TrimSpace(**f.text) == "" {
			*f.text = nil
		}
	}
	ids := []kernel.ID{}
	for _, id := range s.SectorIDs {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	s.SectorIDs = ids
	return nil
}

// findSettings returns the company's settings. If all sectors of the settings have been deleted, no case has a survey.
func findSettings(tx *kernel.Tx, company kernel.ID) (SurveySettings, error) {
	s := SurveySettings{
		Question: DefaultQuestion, SectorIDs: []kernel.ID{}, MinDays: DefaultMinDays, ValidHours: DefaultValidHours,
	}
	_, err := tx.One(`
		SELECT enabled, question, low_question, thanks, sectors, delay_minutes, min_days, valid_hours
		FROM survey_settings
		WHERE company = $1`, []any{company}, func(r db.Row) {
		s = SurveySettings{
			Enabled: r.Bool("enabled"), Question: r.Text("question"), LowQuestion: r.NullText("low_question"), Thanks: r.NullText("thanks"),
			SectorIDs: kernel.UnpackIDs(r.Bytes("sectors")), DelayMinutes: r.Int("delay_minutes"), MinDays: r.Int("min_days"),
			ValidHours: r.Int("valid_hours"),
		}
	})
	if err != nil || len(s.SectorIDs) == 0 {
		return s, err
	}
	existing, err := people.SectorIDs(tx, company)
	s.SectorIDs = slices.DeleteFunc(s.SectorIDs, func(id kernel.ID) bool { return !slices.Contains(existing, id) })
	s.Enabled = s.Enabled && len(s.SectorIDs) > 0
	return s, err
}

func saveSettings(tx *kernel.Tx, company kernel.ID, s *SurveySettings) {
	tx.Later(`
		INSERT INTO survey_settings (company, enabled, question, low_question, thanks, sectors, delay_minutes, min_days, valid_hours)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (company) DO UPDATE
		SET enabled = excluded.enabled, question = excluded.question, low_question = excluded.low_question, thanks = excluded.thanks,
			sectors = excluded.sectors, delay_minutes = excluded.delay_minutes, min_days = excluded.min_days,
			valid_hours = excluded.valid_hours`,
		company, s.Enabled, s.Question, s.LowQuestion, s.Thanks, kernel.PackIDs(s.SectorIDs), s.DelayMinutes, s.MinDays, s.ValidHours)
}

// asks reports whether the settings ask the customers of a sector, which may be nil.
func (s *SurveySettings) asks(sector *kernel.ID) bool {
	return len(s.SectorIDs) == 0 || sector != nil && slices.Contains(s.SectorIDs, *sector)
}

// expiry returns until when a question that is sent now can be answered.
func (s *SurveySettings) expiry(now time.Time) time.Time {
	return now.Add(time.Duration(s.ValidHours) * time.Hour)
}

// canSend reports whether a channel can send messages.
func canSend(ch *channels.Channel) bool {
	return ch.Status == channels.ChannelConnected && ch.ArchivedAt == nil
}
