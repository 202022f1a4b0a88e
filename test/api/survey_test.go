package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

// surveyed is a company whose customers are asked how satisfied they are.
type surveyed struct {
	*servertest.World
	channel string
	n       int
}

// newSurveyed enables the survey with some fields of its settings. By default customers are asked after every case.
func newSurveyed(t *testing.T, w *servertest.World, settings ...string) *surveyed {
	t.Helper()
	f := &surveyed{World: w, channel: sandbox(t, w)}
	f.set(t, settings...)
	return f
}

// set enables the survey with some fields of its settings.
func (f *surveyed) set(t *testing.T, settings ...string) {
	t.Helper()
	all := append([]string{`"enabled":true,"question":"Como foi?"`}, settings...)
	if !strings.Contains(strings.Join(settings, ","), "min_days") {
		all = append(all, `"min_days":0`)
	}
	f.A.Put(t, "/company/survey", "{"+strings.Join(all, ",")+"}").OK(200)
}

// sendDue runs a step of the loop.
func (f *surveyed) sendDue(t *testing.T) {
	t.Helper()
	if _, err := f.Desk.Surveys.SendDue(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
}

// surveyCase is a case of a customer.
type surveyCase struct {
	*surveyed
	phone, conversation, id string
}

// open returns an open case of a new customer.
func (f *surveyed) open(t *testing.T) *surveyCase {
	t.Helper()
	f.n++
	c := &surveyCase{surveyed: f, phone: phoneNumber(f.n)}
	c.conversation = customerWrites(t, f.World, f.channel, c.phone)
	c.id = openAttendance(t, f.World, c.conversation).ID()
	return c
}

// closed returns a case of a new customer that was just closed.
func (f *surveyed) closed(t *testing.T) *surveyCase {
	t.Helper()
	return f.open(t).close(t)
}

// again returns another case of the same customer, which is open.
func (c *surveyCase) again(t *testing.T) *surveyCase {
	t.Helper()
	next := *c
	customerWrites(t, c.World, c.channel, c.phone)
	next.id = openAttendance(t, c.World, c.conversation).ID()
	return &next
}

func (c *surveyCase) close(t *testing.T) *surveyCase {
	t.Helper()
	c.A.Post(t, "/conversations/"+c.conversation+"/attendance/close", nil).OK(200)
	return c
}

// says sends a text from the customer.
func (c *surveyCase) says(t *testing.T, text string) {
	t.Helper()
	c.A.Post(t, simulatePath(c.channel), map[string]any{"from": c.phone, "text": text}).OK(201)
}

// taps chooses a row of the list.
func (c *surveyCase) taps(t *testing.T, rating int) {
	t.Helper()
	choice := map[string]any{"id": fmt.Sprintf("survey:%s:%d", c.id, rating), "title": strings.Repeat("★", rating)}
	c.A.Post(t, simulatePath(c.channel), map[string]any{"from": c.phone, "choice": choice}).OK(201)
}

// survey returns the survey of the case in a line: status, rating and comment.
func (c *surveyCase) survey(t *testing.T) string {
	t.Helper()
	s, _ := c.A.Get(t, "/attendances/"+c.id).OK(200).At("survey").(map[string]any)
	if s == nil {
		return "null"
	}
	line := fmt.Sprint(s["status"])
	for _, part := range []any{s["rating"], s["comment"]} {
		if part != nil {
			line += fmt.Sprint(" ", part)
		}
	}
	return line
}

// texts returns the first lines of the automatic messages, oldest first.
func (c *surveyCase) texts(t *testing.T) []string {
	t.Helper()
	out := []string{}
	for _, m := range c.A.Get(t, "/conversations/"+c.conversation+"/messages?limit=100").OK(200).List() {
		if m := m.(map[string]any); m["origin"] == "automation" {
			line, _, _ := strings.Cut(m["text"].(string), "\n")
			out = append([]string{line}, out...)
		}
	}
	return out
}

// expect checks the survey of the case and the automatic messages of its conversation.
func (c *surveyCase) expect(t *testing.T, survey string, texts ...string) {
	t.Helper()
	testkit.Diff(t, "survey", c.survey(t), survey)
	testkit.Diff(t, "automatic messages", c.texts(t), append([]string{}, texts...))
}

// expectQuiet checks that the conversation has no open case and no unread messages.
func (c *surveyCase) expectQuiet(t *testing.T) {
	t.Helper()
	expectNoOpenCase(t, c.World, c.conversation)
	testkit.Equal(t, "unread_count", c.A.Get(t, "/conversations/"+c.conversation).OK(200).Int("unread_count"), 0)
}

func (c *surveyCase) read(t *testing.T) *surveyCase {
	t.Helper()
	c.A.Post(t, "/conversations/"+c.conversation+"/read", nil)
	return c
}

func TestTheSurveyIsStoredAndValidated(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		testkit.Diff(t, "default settings", string(w.A.Get(t, "/company/survey").OK(200).Raw),
			`{"enabled":false,"question":"Como você avalia o nosso atendimento?","low_question":null,"thanks":null,"sector_ids":[],"delay_minutes":0,"min_days":30,"valid_hours":48}`)
		sector := w.A.Post(t, "/sectors", `{"name":"Vendas"}`).OK(201).ID()
		stored := `{"enabled":true,"question":"Como foi?","low_question":"O que faltou?","thanks":"Obrigado!","sector_ids":["` + sector +
			`"],"delay_minutes":1440,"min_days":0,"valid_hours":168}`
		testkit.Diff(t, "stored settings", string(w.A.Put(t, "/company/survey", stored).OK(200).Raw), stored)
		long := strings.Repeat("x", 1025)
		for body, field := range map[string]string{
			`{"enabled":true}`:                 "body.question",
			`{"enabled":true,"question":"  "}`: "body.question",
			`{"enabled":true,"question":"` + strings.Repeat("é", 301) + `"}`:    "body.question",
			`{"question":"x","low_question":"` + long + `"}`:                    "body.low_question",
			`{"question":"x","thanks":"` + long + `"}`:                          "body.thanks",
			`{"question":"x","delay_minutes":-1}`:                               "body.delay_minutes",
			`{"question":"x","delay_minutes":1441}`:                             "body.delay_minutes",
			`{"question":"x","min_days":366}`:                                   "body.min_days",
			`{"question":"x","valid_hours":0}`:                                  "body.valid_hours",
			`{"question":"x","valid_hours":169}`:                                "body.valid_hours",
			`{"question":"x","sector_ids":["` + kernel.NewID().String() + `"]}`: "body.sector_ids",
			`{"question":"x","stars":5}`:                                        "body.stars",
		} {
			refused := w.A.Put(t, "/company/survey", body).Fails(400, "invalid_request")
			testkit.Diff(t, "details.0.field of "+body, refused.Text("details", 0, "field"), field)
		}
		testkit.Diff(t, "settings after refused changes", string(w.A.Get(t, "/company/survey").OK(200).Raw), stored)
		testkit.Equal(t, "question of another company", w.B.Get(t, "/company/survey").OK(200).Text("question"), "Como você avalia o nosso atendimento?")
		testkit.Diff(t, "defaults of omitted fields", string(w.A.Put(t, "/company/survey", `{"enabled":true,"question":"`+strings.Repeat("é", 300)+`","thanks":" "}`).OK(200).Raw),
			`{"enabled":true,"question":"`+strings.Repeat("é", 300)+`","low_question":null,"thanks":null,"sector_ids":[],"delay_minutes":0,"min_days":30,"valid_hours":48}`)

		w.A.Put(t, "/company/survey", stored).OK(200)
		w.A.Delete(t, "/sectors/"+sector).OK(204)
		gone := w.A.Get(t, "/company/survey").OK(200)
		testkit.Diff(t, "sector_ids after the sector was deleted", gone.List("sector_ids"), []any{})
		testkit.Diff(t, "enabled after the only sector was deleted", gone.At("enabled"), false)
	})
}

func TestAClosedCaseIsRated(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newSurveyed(t, w, `"thanks":"Obrigado!"`)
		c := f.open(t).read(t)
		att := f.A.Post(t, "/conversations/"+c.conversation+"/attendance/close", nil).OK(200)
		testkit.Equal(t, "status", att.Text("survey", "status"), "sent")
		testkit.Diff(t, "rating before the answer", att.At("survey", "rating"), nil)
		question := f.A.Get(t, "/conversations/"+c.conversation+"/messages?limit=1").OK(200)
		testkit.Equal(t, "origin", question.Text("data", 0, "origin"), "automation")
		testkit.Equal(t, "body", question.Text("data", 0, "interactive", "body"), "Como foi?")
		rows := question.List("data", 0, "interactive", "list", "sections", 0, "rows")
		testkit.Equal(t, "rows", len(rows), 5)
		last := rows[4].(map[string]any)
		testkit.Diff(t, "id of the last row", last["id"], any("survey:"+c.id+":5"))
		testkit.Diff(t, "title of the last row", last["title"], any("5 ★★★★★"))
		c.expectQuiet(t)

		w.Clock.Advance(time.Minute)
		c.taps(t, 5)
		c.expect(t, "answered 5", "Como foi?", "Obrigado!")
		c.expectQuiet(t)
	})
}
