package linked_test

import (
	"fmt"
	"testing"
	"time"

	"recado/test/linkedtest"
	"recado/test/testkit"
)

// receive sets a reception with a menu and returns the sector of its first option.
func (d *desk) receive(t *testing.T) (sales string) {
	t.Helper()
	sales = d.A.Post(t, "/sectors", `{"name": "Vendas"}`).OK(201).ID()
	d.A.Put(t, "/channels/"+d.channel+"/reception", fmt.Sprintf(`{"enabled": true, "greeting": "Olá!", "menu": {"text": "Como podemos ajudar?", "options": [
		{"title": "Vendas", "action": {"sector": %q}}, {"title": "Horário", "action": {"text": "Das 8h às 18h."}}]}}`, sales)).OK(200)
	return sales
}

// says writes a text of the customer some time after the one before.
func (d *desk) says(id, text string) {
	d.Clock.Advance(5 * time.Second)
	d.phone.Write(d.phone.Info(maria, id, d.Clock.Now()), linkedtest.Text(text))
}

// expectSent waits until the device has sent a number of messages and compares the last one.
func (d *desk) expectSent(t *testing.T, n int, text string) {
	t.Helper()
	testkit.Eventually(t, fmt.Sprintf("%d messages are sent", n), func() bool { return len(d.phone.Sent()) >= n })
	testkit.Diff(t, "message", d.phone.Sent()[n-1].Message.GetConversation(), text)
}

const menu = "Como podemos ajudar?\n1. Vendas\n2. Horário"

func TestTheOptionsOfAMenuAreNumbered(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		sales := d.receive(t)
		tried := d.A.Post(t, "/channels/"+d.channel+"/reception/try", `{"texts": ["oi"]}`).OK(200)
		if tried.Text("data", 0, "text") != "Olá!\n\n"+menu || tried.At("data", 0, "interactive") != nil {
			t.Errorf("the trial returned %s", tried.Raw)
		}
		d.says("A", "oi")
		d.expectSent(t, 1, "Olá!\n\n"+menu)
		d.says("B", "2")
		d.expectSent(t, 2, "Das 8h às 18h.\n\n"+menu)
		d.says("C", "hm")
		d.expectSent(t, 3, menu)
		d.says("D", "1")
		testkit.Diff(t, "sector", d.A.Get(t, "/conversations/"+d.conversation(t)).OK(200).At("sector"), any(sales))
	})
}

func TestASurveyIsAnsweredWithADigit(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		attendance := d.askedToRate(t)
		d.says("B", "5")
		testkit.Diff(t, "rating", d.A.Get(t, "/attendances/"+attendance).OK(200).Int("survey", "rating"), 5)
	})
}

// askedToRate opens and closes a case of a customer, who gets the survey. It returns the case.
func (d *desk) askedToRate(t *testing.T) (attendance string) {
	t.Helper()
	d.A.Put(t, "/company/survey", `{"enabled": true, "question": "Como foi?", "min_days": 0}`).OK(200)
	d.says("A", "oi")
	conversation := d.conversation(t)
	attendance = d.A.Get(t, "/conversations/"+conversation).OK(200).Text("attendance", "id")
	sent := len(d.phone.Sent())
	d.A.Post(t, "/conversations/"+conversation+"/attendance/close", nil).OK(200)
	d.expectSent(t, sent+1, "Como foi?\n- 1 ★\n- 2 ★★\n- 3 ★★★\n- 4 ★★★★\n- 5 ★★★★★")
	return attendance
}
