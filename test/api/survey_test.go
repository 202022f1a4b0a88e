package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"recado/internal/channels/provider"
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

func TestAnAnswerToTheSurvey(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newSurveyed(t, w, `"thanks":"Obrigado!"`)
		t.Run("is a digit", func(t *testing.T) {
			c := f.open(t).read(t).close(t)
			c.says(t, " 4 ")
			c.expect(t, "answered 4", "Como foi?", "Obrigado!")
			c.expectQuiet(t)
			testkit.Diff(t, "answered_at", c.A.Get(t, "/attendances/"+c.id).OK(200).At("survey", "answered_at") != nil, true)
		})
		t.Run("is in the timeline of its case", func(t *testing.T) {
			c := f.closed(t)
			c.taps(t, 2)
			for _, entry := range c.A.Get(t, "/conversations/"+c.conversation+"/timeline").OK(200).List() {
				if entry := entry.(map[string]any); entry["kind"] == "attendance_closed" {
					testkit.Diff(t, "rating", entry["attendance"].(map[string]any)["survey"].(map[string]any)["rating"], any(2.0))
					return
				}
			}
			t.Error("the timeline has no closing")
		})
		t.Run("is neither another number nor another text", func(t *testing.T) {
			for _, text := range []string{"0", "6", "10", "55", "5!", "nota 5", "cinco"} {
				c := f.closed(t)
				c.says(t, text)
				testkit.Diff(t, "survey after "+text, c.survey(t), "sent")
				testkit.Equal(t, "opened_by after "+text, openAttendance(t, w, c.conversation).Text("opened_by"), "customer")
			}
		})
		t.Run("belongs to the closed case although a new one is open", func(t *testing.T) {
			c := f.closed(t)
			next := c.again(t)
			c.says(t, "3")
			c.expect(t, "answered 3", "Como foi?", "Obrigado!")
			testkit.Diff(t, "survey of the new case", next.survey(t), "null")
		})
		t.Run("counts once", func(t *testing.T) {
			c := f.closed(t)
			c.taps(t, 4)
			c.taps(t, 1)
			c.expect(t, "answered 4", "Como foi?", "Obrigado!")
			testkit.Equal(t, "opened_by", openAttendance(t, w, c.conversation).Text("opened_by"), "customer")
		})
		t.Run("to an older question is taken from the list", func(t *testing.T) {
			older := f.closed(t)
			newer := older.again(t).close(t)
			older.taps(t, 1)
			newer.says(t, "5")
			testkit.Diff(t, "older", older.survey(t), "answered 1")
			testkit.Diff(t, "newer", newer.survey(t), "answered 5")
			expectNoOpenCase(t, w, newer.conversation)
		})
		t.Run("of another customer does not count", func(t *testing.T) {
			c, other := f.closed(t), f.closed(t)
			stolen := *other
			stolen.id = c.id
			stolen.taps(t, 1)
			testkit.Diff(t, "survey", c.survey(t), "sent")
			testkit.Diff(t, "survey of the other", other.survey(t), "sent")
		})
		t.Run("is accepted for valid_hours", func(t *testing.T) {
			f.set(t, `"valid_hours":2`)
			c, late, digit := f.closed(t), f.closed(t), f.closed(t)
			w.Clock.Advance(119 * time.Minute)
			c.taps(t, 5)
			c.expect(t, "answered 5", "Como foi?")
			w.Clock.Advance(2 * time.Minute)
			late.taps(t, 5)
			late.expect(t, "expired", "Como foi?")
			digit.says(t, "5")
			digit.expect(t, "expired", "Como foi?")
			testkit.Equal(t, "opened_by", openAttendance(t, w, late.conversation).Text("opened_by"), "customer")
			quiet := f.closed(t)
			w.Clock.Advance(2 * time.Hour)
			f.sendDue(t)
			quiet.expect(t, "expired", "Como foi?")
		})
	})
}

func TestALowRatingAsksForAComment(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newSurveyed(t, w, `"low_question":"O que faltou?"`, `"thanks":"Obrigado!"`)
		t.Run("and stores the next text", func(t *testing.T) {
			c := f.open(t).read(t).close(t)
			feed := &feedReader{w: w}
			feed.next(t)
			c.taps(t, 3)
			c.expect(t, "answered 3", "Como foi?", "O que faltou?")
			w.Clock.Advance(9 * time.Minute)
			c.says(t, "Demorou muito")
			c.expect(t, "answered 3 Demorou muito", "Como foi?", "O que faltou?", "Obrigado!")
			c.expectQuiet(t)
			var changed []string
			for _, e := range feed.next(t, "attendance.rated") {
				testkit.Diff(t, "attendance", e.at("attendance", "id"), any(c.id))
				testkit.Diff(t, "conversation", e.at("conversation", "id"), any(c.conversation))
				changed = append(changed, fmt.Sprintf("%v %v %v", e.at("changed"), e.at("attendance", "survey", "rating"), e.at("attendance", "survey", "comment")))
			}
			testkit.Diff(t, "attendance.rated", changed, []string{"[rating] 3 <nil>", "[comment] 3 Demorou muito"})
			c.says(t, "Mais uma coisa")
			testkit.Equal(t, "opened_by of the next message", openAttendance(t, w, c.conversation).Text("opened_by"), "customer")
			testkit.Diff(t, "survey after the next message", c.survey(t), "answered 3 Demorou muito")
		})
		t.Run("for ten minutes", func(t *testing.T) {
			c := f.closed(t)
			c.says(t, "1")
			w.Clock.Advance(11 * time.Minute)
			f.sendDue(t)
			c.says(t, "Demorou muito")
			c.expect(t, "answered 1", "Como foi?", "O que faltou?")
			testkit.Equal(t, "opened_by", openAttendance(t, w, c.conversation).Text("opened_by"), "customer")
		})
		t.Run("but a high one does not", func(t *testing.T) {
			c := f.closed(t)
			c.says(t, "4")
			c.expect(t, "answered 4", "Como foi?", "Obrigado!")
			c.says(t, "Muito bom")
			testkit.Diff(t, "survey", c.survey(t), "answered 4")
			testkit.Equal(t, "opened_by", openAttendance(t, w, c.conversation).Text("opened_by"), "customer")
		})
	})
}

func TestWhoIsAskedAfterACase(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newSurveyed(t, w)
		t.Run("nobody if the survey is disabled", func(t *testing.T) {
			w.A.Put(t, "/company/survey", `{"enabled":false,"question":"Como foi?"}`).OK(200)
			f.closed(t).expect(t, "null")
			f.set(t)
		})
		t.Run("nobody in a group", func(t *testing.T) {
			body := fmt.Sprintf(`{"from":%q,"text":"oi","group":{"id":"g1","name":"Vizinhos"}}`, phoneNumber(900))
			c := &surveyCase{surveyed: f, conversation: w.A.Post(t, simulatePath(f.channel), body).OK(201).Text("conversation")}
			w.A.Patch(t, "/conversations/"+c.conversation, `{"cases":true}`).OK(200)
			w.A.Post(t, simulatePath(f.channel), body).OK(201)
			c.id = openAttendance(t, w, c.conversation).ID()
			c.close(t).expect(t, "null")
		})
		t.Run("nobody on a private number", func(t *testing.T) {
			owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
			channel := owner.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
			conversation := owner.Post(t, simulatePath(channel), `{"from":"+5511911112222","text":"oi"}`).OK(201).Text("conversation")
			att := owner.Post(t, "/conversations/"+conversation+"/attendance/close", nil).OK(200)
			testkit.Diff(t, "survey", att.At("survey"), nil)
		})
		t.Run("nobody who is blocked", func(t *testing.T) {
			c := f.open(t)
			w.A.Patch(t, "/contacts/"+w.A.Get(t, "/conversations/"+c.conversation).OK(200).Text("contact"), `{"blocked":true}`).OK(200)
			c.close(t).expect(t, "null")
		})
		t.Run("nobody without automation", func(t *testing.T) {
			c := f.open(t)
			w.A.Patch(t, "/contacts/"+w.A.Get(t, "/conversations/"+c.conversation).OK(200).Text("contact"), `{"automation":false}`).OK(200)
			c.close(t).expect(t, "none")
		})
		t.Run("nobody whose case the server closes", func(t *testing.T) {
			w.A.Patch(t, "/company/attendance", `{"auto_close":{"enabled":true,"after_minutes":5}}`).OK(200)
			c := f.open(t)
			w.Clock.Advance(6 * time.Minute)
			if _, err := w.Desk.Talk.CloseIdle(t.Context(), w.Clock.Now(), 100); err != nil {
				t.Fatal(err)
			}
			c.expect(t, "null")
			w.A.Patch(t, "/company/attendance", `{"auto_close":{"enabled":false}}`).OK(200)
		})
		t.Run("only customers of the chosen sectors", func(t *testing.T) {
			sales := w.A.Post(t, "/sectors", `{"name":"Vendas"}`).OK(201).ID()
			f.set(t, `"sector_ids":["`+sales+`"]`)
			f.closed(t).expect(t, "none")
			c := f.open(t)
			w.A.Post(t, "/conversations/"+c.conversation+"/transfer", map[string]any{"sector_id": sales}).OK(200)
			c.close(t).expect(t, "sent", "Como foi?")
			f.set(t)
		})
		t.Run("a contact once in min_days", func(t *testing.T) {
			f.set(t, `"min_days":30`)
			c := f.closed(t)
			c.expect(t, "sent", "Como foi?")
			w.Clock.Advance(29 * 24 * time.Hour)
			c.again(t).close(t).expect(t, "none", "Como foi?")
			w.Clock.Advance(2 * 24 * time.Hour)
			c.again(t).close(t).expect(t, "sent", "Como foi?", "Como foi?")
			f.set(t)
		})
		t.Run("bulk closing asks each customer", func(t *testing.T) {
			a, b := f.open(t), f.open(t)
			w.A.Post(t, "/conversations/bulk", map[string]any{"ids": []string{a.conversation, b.conversation}, "action": "close"}).OK(200)
			a.expect(t, "sent", "Como foi?")
			b.expect(t, "sent", "Como foi?")
		})
	})
}

func TestCasesAreListedByTheStatusOfTheirSurvey(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newSurveyed(t, w, `"valid_hours":2`)
		expired := f.closed(t)
		w.Clock.Advance(3 * time.Hour)
		f.sendDue(t)
		answered, sent, other := f.closed(t), f.closed(t), f.open(t)
		answered.taps(t, 5)
		w.A.Patch(t, "/contacts/"+w.A.Get(t, "/conversations/"+other.conversation).OK(200).Text("contact"), `{"automation":false}`).OK(200)
		other.close(t)
		f.set(t, `"delay_minutes":10`)
		w.Clock.Advance(time.Minute)
		due := f.closed(t)
		f.open(t) // has no survey
		for query, want := range map[string][]string{
			"none": {due.id, other.id}, "sent": {sent.id}, "answered": {answered.id}, "expired": {expired.id}, "skipped": {},
			"answered&rating=low": {}, "sent&status=open": {}, "sent&on=closed&from=2020-01-01": {sent.id},
		} {
			got := []string{}
			for _, att := range w.A.Get(t, "/attendances?survey="+query).OK(200).List() {
				got = append(got, att.(map[string]any)["id"].(string))
			}
			testkit.Diff(t, query, got, want)
		}
		page := w.A.Get(t, "/attendances?limit=1&survey=none").OK(200)
		next := "&cursor=" + url.QueryEscape(page.Text("next_cursor"))
		testkit.Equal(t, "second page", w.A.Get(t, "/attendances?limit=1&survey=none"+next).OK(200).Text("data", 0, "id"), other.id)
		w.A.Get(t, "/attendances?limit=1&survey=sent"+next).Fails(400, "invalid_cursor")
		w.A.Get(t, "/attendances?survey=due").Fails(400, "invalid_request")
	})
}

func TestADelayedSurvey(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newSurveyed(t, w, `"delay_minutes":10`)
		t.Run("is sent once after delay_minutes", func(t *testing.T) {
			c := f.closed(t)
			w.Clock.Advance(9 * time.Minute)
			f.sendDue(t)
			c.expect(t, "none")
			c.says(t, "5") // nothing was asked yet
			c.expect(t, "none")
			w.Clock.Advance(2 * time.Minute)
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() { f.sendDue(t) })
			}
			wg.Wait()
			c.expect(t, "sent", "Como foi?")
			c.says(t, "2")
			c.expect(t, "answered 2", "Como foi?")
		})
		t.Run("follows what has changed since the closing", func(t *testing.T) {
			silent, blocked, disabled := f.closed(t), f.closed(t), f.closed(t)
			for c, change := range map[*surveyCase]string{silent: `{"automation":false}`, blocked: `{"blocked":true}`} {
				w.A.Patch(t, "/contacts/"+w.A.Get(t, "/conversations/"+c.conversation).OK(200).Text("contact"), change).OK(200)
			}
			w.Clock.Advance(11 * time.Minute)
			f.sendDue(t)
			silent.expect(t, "none")
			blocked.expect(t, "null")
			disabled.expect(t, "sent", "Como foi?")
			disabled = f.closed(t)
			w.A.Put(t, "/company/survey", `{"enabled":false}`).OK(200)
			w.Clock.Advance(11 * time.Minute)
			f.sendDue(t)
			disabled.expect(t, "null")
			f.set(t, `"delay_minutes":10`)
		})
		t.Run("is withdrawn when the case is reopened", func(t *testing.T) {
			c := f.open(t)
			count := func() int { return w.A.Get(t, "/reports/attendance").OK(200).Int("totals", "closed") }
			before := count()
			c.close(t)
			testkit.Equal(t, "closed cases in the report", count(), before+1)
			att := w.A.Post(t, "/conversations/"+c.conversation+"/attendance/reopen", nil).OK(200)
			testkit.Diff(t, "survey of the response", att.At("survey"), nil)
			testkit.Equal(t, "closed cases in the report after reopening", count(), before)
			w.Clock.Advance(11 * time.Minute)
			f.sendDue(t)
			c.expect(t, "null")
		})
		t.Run("does not interrupt a menu", func(t *testing.T) {
			c := f.closed(t)
			w.A.Put(t, "/channels/"+f.channel+"/reception", `{"enabled":true,"menu":{"text":"Menu?","timeout_minutes":60,"options":[`+
				`{"title":"A","action":{"close":true}},{"title":"B","action":{"text":"Das 8h às 18h."}}]}}`).OK(200)
			c.again(t)
			w.Clock.Advance(11 * time.Minute)
			f.sendDue(t)
			c.expect(t, "none", "Menu?")
			c.says(t, "1")
			w.Clock.Advance(2 * time.Minute)
			f.sendDue(t)
			c.expect(t, "sent", "Menu?", "Como foi?")
			c.again(t)
			c.says(t, "2")
			testkit.Diff(t, "survey after a digit that answers the menu", c.survey(t), "sent")
			c.taps(t, 5)
			testkit.Diff(t, "survey after the list", c.survey(t), "answered 5")
		})
	})
}

func TestReopeningACaseKeepsAQuestionThatWasSent(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		c := newSurveyed(t, w).closed(t)
		w.A.Post(t, "/conversations/"+c.conversation+"/attendance/reopen", nil).OK(200)
		testkit.Diff(t, "waiting_since, because the question is no reply", openAttendance(t, w, c.conversation).ID(), c.id)
		if w.A.Get(t, "/conversations/"+c.conversation).OK(200).At("attendance", "waiting_since") == nil {
			t.Error("the customer no longer waits")
		}
		c.close(t).expect(t, "sent", "Como foi?")
		c.taps(t, 5)
		c.expect(t, "answered 5", "Como foi?")
	})
}

func TestConcurrentAnswersCountOnce(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		c := newSurveyed(t, w, `"thanks":"Obrigado!"`).closed(t)
		m := provider.IncomingMessage{
			ExternalID: "wamid.same", Type: provider.TypeText, Text: "4", At: w.Clock.Now(), Customer: provider.Person{Phone: c.phone},
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				m := m
				if err := w.Desk.Talk.Receive(t.Context(), w.A.ID, mustID(c.channel), []provider.Incoming{{Message: &m}}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		c.expect(t, "answered 4", "Como foi?", "Obrigado!")
		testkit.Equal(t, "events", len((&feedReader{w: w}).next(t, "attendance.rated")), 1)
		expectNoOpenCase(t, w, c.conversation)

		history := m
		history.ExternalID, history.History = "wamid.history", true
		other := newSurveyed(t, w)
		other.channel, other.n = c.channel, 50
		next := other.closed(t)
		history.Customer.Phone = next.phone
		if err := w.Desk.Talk.Receive(t.Context(), w.A.ID, mustID(c.channel), []provider.Incoming{{Message: &history}}); err != nil {
			t.Fatal(err)
		}
		testkit.Diff(t, "survey after imported history", next.survey(t), "sent")
	})
}

func TestASurveyIsAnsweredAfterItsConversationWasMerged(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newSurveyed(t, w)
		says := func(text string, person provider.Person) {
			t.Helper()
			m := &provider.IncomingMessage{ExternalID: kernel.NewID().String(), Type: provider.TypeText, Text: text, At: w.Clock.Now(), Customer: person}
			if err := w.Desk.Talk.Receive(t.Context(), w.A.ID, mustID(f.channel), []provider.Incoming{{Message: m}}); err != nil {
				t.Fatal(err)
			}
		}
		other := f.closed(t)
		says("oi", provider.Person{Name: "Lia", UserID: "BR.1"})
		c := *other
		c.conversation = conversationNamed(t, w, "Lia").ID()
		c.id = openAttendance(t, w, c.conversation).ID()
		c.close(t)
		testkit.Diff(t, "survey", c.survey(t), "sent")
		other.says(t, "4")
		says("5", provider.Person{Phone: other.phone, WAID: other.phone[1:], UserID: "BR.1"})
		testkit.Diff(t, "survey of the merged conversation", c.survey(t), "answered 5")
		testkit.Diff(t, "survey of the other conversation", other.survey(t), "answered 4")
	})
}
