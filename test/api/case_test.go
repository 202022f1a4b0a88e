package api_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

// closedCase returns a conversation whose only case was closed long enough ago that its grace period is over.
func closedCase(t *testing.T, w *servertest.World, channel string, n int) string {
	t.Helper()
	id := customerWrites(t, w, channel, phoneNumber(n))
	w.A.Post(t, "/conversations/"+id+"/attendance/close", nil).OK(200)
	w.Clock.Advance(121 * time.Minute)
	return id
}

// expectNoOpenCase checks that a conversation has no open case.
func expectNoOpenCase(t *testing.T, w *servertest.World, conversation string) {
	t.Helper()
	if got := string(openAttendance(t, w, conversation).Raw); got != "null\n" && got != "null" {
		t.Errorf("open case: got %s, want none", got)
	}
}

// sendFromPhone delivers a message that the team sent from the phone.
func sendFromPhone(t *testing.T, w *servertest.World, channel, to string, change func(*provider.IncomingMessage)) {
	t.Helper()
	m := &provider.IncomingMessage{
		ExternalID: kernel.NewID().String(), Type: provider.TypeText, Text: "from the phone", At: w.Clock.Now(), FromPhoneApp: true, Customer: provider.Person{Phone: to},
	}
	if change != nil {
		change(m)
	}
	if err := w.Desk.Talk.Receive(t.Context(), w.A.ID, mustID(channel), []provider.Incoming{{Message: m}}); err != nil {
		t.Fatal(err)
	}
}

func TestAMessageFromTheTeamOpensACase(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, bia := addMember(t, w, "Ana"), addMember(t, w, "Bia")
		t.Run("a member's message opens a case and makes the sender responsible", func(t *testing.T) {
			id := closedCase(t, w, channel, 1)
			ana.Post(t, "/conversations/"+id+"/messages", message("Your order is ready")).OK(201)
			att := openAttendance(t, w, id)
			testkit.Equal(t, "opened_by", att.Text("opened_by"), "team")
			testkit.Equal(t, "protocol", att.Text("protocol"), "ATD-000002")
			testkit.Equal(t, "responsible", att.Text("responsible", "id"), ana.id)
			testkit.Equal(t, "assignee", w.A.Get(t, "/conversations/"+id).OK(200).Text("assignee"), ana.id)
			testkit.Equal(t, "history", fmt.Sprint(assignmentHistory(t, w, id)), "[took_over Ana Ana]")
			testkit.Equal(t, "first_response_at", att.At("first_response_at"), nil)
			testkit.Equal(t, "waiting_since", w.A.Get(t, "/conversations/"+id).OK(200).At("attendance", "waiting_since"), nil)

			board := w.A.Get(t, "/kanban/boards").OK(200)
			cards := w.A.Get(t, "/kanban/cards?q="+att.Text("protocol")).OK(200)
			testkit.Equal(t, "cards", len(cards.List()), 1)
			testkit.Equal(t, "stage", cards.Text("data", 0, "stage_id"), board.Text(0, "stages", 1, "id"))

			w.Clock.Advance(30 * time.Second)
			bia.Post(t, "/conversations/"+id+"/messages", message("and the invoice")).OK(201)
			after := openAttendance(t, w, id)
			testkit.Equal(t, "id of the open case", after.ID(), att.ID())
			testkit.Equal(t, "first_response_at before the customer has written", after.At("first_response_at"), nil)
			testkit.Equal(t, "still responsible", after.Text("responsible", "id"), ana.id)
			customerWrites(t, w, channel, phoneNumber(1))
			w.Clock.Advance(30 * time.Second)
			bia.Post(t, "/conversations/"+id+"/messages", message("you are welcome")).OK(201)
			testkit.Equal(t, "first_response_seconds after the customer has written", openAttendance(t, w, id).Int("first_response_seconds"), 60)
		})
		t.Run("a message sent in the app opens a case", func(t *testing.T) {
			id := closedCase(t, w, channel, 2)
			w.A.Enter(t, w.A.Owner.ID.String(), password).Post(t, "/conversations/"+id+"/messages", message("hello")).OK(201)
			testkit.Equal(t, "opened_by", openAttendance(t, w, id).Text("opened_by"), "team")
		})
		t.Run("a message sent from the phone opens a case without a responsible person", func(t *testing.T) {
			id := closedCase(t, w, channel, 3)
			sendFromPhone(t, w, channel, phoneNumber(3), nil)
			att := openAttendance(t, w, id)
			testkit.Equal(t, "opened_by", att.Text("opened_by"), "team")
			testkit.Equal(t, "responsible", att.At("responsible"), nil)
			testkit.Equal(t, "first_response_at", att.At("first_response_at"), nil)
		})
		t.Run("a scheduled message opens a case when it is sent", func(t *testing.T) {
			id := closedCase(t, w, channel, 4)
			made := ana.Post(t, "/conversations/"+id+"/scheduled", scheduledMessage(w, time.Hour, "See you")).OK(201)
			expectNoOpenCase(t, w, id)
			w.Clock.Advance(time.Hour)
			waitForOutcome(t, ana.Client, id, made.ID())
			testkit.Equal(t, "opened_by", openAttendance(t, w, id).Text("opened_by"), "team")
			testkit.Equal(t, "responsible", openAttendance(t, w, id).Text("responsible", "id"), ana.id)
		})
		t.Run("without the first-responder rule nobody becomes responsible", func(t *testing.T) {
			id := closedCase(t, w, channel, 5)
			w.A.Patch(t, "/company/attendance", `{"first_responder_takes_ownership":false}`).OK(200)
			ana.Post(t, "/conversations/"+id+"/messages", message("hello")).OK(201)
			testkit.Equal(t, "responsible", openAttendance(t, w, id).At("responsible"), nil)
			testkit.Equal(t, "entries", len(assignmentHistory(t, w, id)), 0)
			w.A.Patch(t, "/company/attendance", `{"first_responder_takes_ownership":true}`).OK(200)
		})
		t.Run("imported history, reactions and notes open no case", func(t *testing.T) {
			id := closedCase(t, w, channel, 6)
			sendFromPhone(t, w, channel, phoneNumber(6), func(m *provider.IncomingMessage) { m.History = true })
			first := w.A.Get(t, "/conversations/"+id+"/messages").OK(200)
			for i := range first.List() {
				if first.Text("data", i, "direction") == "inbound" {
					ana.Put(t, "/messages/"+first.Text("data", i, "id")+"/reaction", `{"emoji":"👍"}`).OK(200)
				}
			}
			ana.Post(t, "/conversations/"+id+"/notes", message("call back")).OK(201)
			expectNoOpenCase(t, w, id)
		})
		t.Run("a key that acts as an integration opens no case", func(t *testing.T) {
			id := closedCase(t, w, channel, 9)
			bot := w.A.As(w.A.Post(t, "/keys", `{"name":"Bot","scopes":["messages:send","conversations:write"],"acts_as":"integration"}`).OK(201).Text("key"))
			bot.Post(t, "/conversations/"+id+"/messages", message("Your parcel was sent")).OK(201)
			expectNoOpenCase(t, w, id)
			started := bot.Post(t, "/conversations", map[string]any{"channel_id": channel, "phone": phoneNumber(20)}).OK(201)
			expectNoOpenCase(t, w, started.ID())
			bot.Post(t, "/conversations", map[string]any{"channel_id": channel, "phone": phoneNumber(9)}).OK(200)
			expectNoOpenCase(t, w, id)
		})
		t.Run("a key that acts as an integration does not become responsible for a conversation that it starts", func(t *testing.T) {
			caio := w.NewMember(t, people.NewUser{Name: "Caio", Role: kernel.RoleAgent, AccessProfile: kernel.AccessOwn}).ID
			key := func(actsAs string) *servertest.Client {
				return w.A.As(w.A.Post(t, "/keys", map[string]any{"name": "Bot", "scopes": []string{"conversations:write"}, "user_id": caio.String(), "acts_as": actsAs}).OK(201).Text("key"))
			}
			start := map[string]any{"channel_id": channel, "phone": phoneNumber(21)}
			key("integration").Post(t, "/conversations", start).Fails(409, "not_visible")
			testkit.Equal(t, "assignee", key("person").Post(t, "/conversations", start).OK(201).Text("assignee"), caio.String())
		})
		t.Run("a message to a group opens no case", func(t *testing.T) {
			sendFromPhone(t, w, channel, phoneNumber(7), func(m *provider.IncomingMessage) {
				m.Customer, m.Group = provider.Person{}, &provider.IncomingGroup{ID: "group-1", Name: "Neighbours"}
			})
			id := w.A.Get(t, "/conversations?q=Neighbours").OK(200).Text("data", 0, "id")
			w.A.Post(t, "/conversations/"+id+"/messages", message("hello all")).OK(201)
			expectNoOpenCase(t, w, id)
		})
		t.Run("no case opens while attendances are disabled", func(t *testing.T) {
			id := closedCase(t, w, channel, 8)
			w.A.Patch(t, "/company/attendance", `{"enabled":false}`).OK(200)
			ana.Post(t, "/conversations/"+id+"/messages", message("hello")).OK(201)
			expectNoOpenCase(t, w, id)
			testkit.Equal(t, "assignee", w.A.Get(t, "/conversations/"+id).OK(200).At("assignee"), nil)
			w.A.Patch(t, "/company/attendance", `{"enabled":true}`).OK(200)
		})
		t.Run("two concurrent messages open one case", func(t *testing.T) {
			for n := 10; n < 14; n++ {
				id := closedCase(t, w, channel, n)
				var both sync.WaitGroup
				for _, who := range []*person{ana, bia} {
					both.Go(func() { who.Post(t, "/conversations/"+id+"/messages", message("hello")).OK(201) })
				}
				both.Wait()
				testkit.Equal(t, "cases", len(w.A.Get(t, "/attendances?conversation="+id).OK(200).List()), 2)
				testkit.Equal(t, "entries", len(assignmentHistory(t, w, id)), 1)
				testkit.Equal(t, "first_response_at", openAttendance(t, w, id).At("first_response_at"), nil)
			}
		})
	})
}

func TestMessagesWithinTheGracePeriodBelongToTheClosedCase(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		id := customerWrites(t, w, channel, phoneNumber(1))
		path := "/conversations/" + id
		closeCase := func() { w.A.Post(t, path+"/attendance/close", nil).OK(200) }
		closeCase()
		w.Clock.Advance(10*time.Minute - time.Second)
		w.A.Post(t, path+"/messages", message("have a nice day")).OK(201)
		sendFromPhone(t, w, channel, phoneNumber(1), nil)
		expectNoOpenCase(t, w, id)
		testkit.Equal(t, "assignee", w.A.Get(t, path).OK(200).At("assignee"), nil)
		w.Clock.Advance(time.Second)
		w.A.Post(t, path+"/messages", message("one more thing")).OK(201)
		testkit.Equal(t, "opened_by after the grace period", openAttendance(t, w, id).Text("opened_by"), "team")

		t.Run("a customer's message always opens a case", func(t *testing.T) {
			closeCase()
			customerWrites(t, w, channel, phoneNumber(1))
			testkit.Equal(t, "opened_by", openAttendance(t, w, id).Text("opened_by"), "customer")
		})
		t.Run("with grace_for_customers it opens no case and is unread", func(t *testing.T) {
			w.A.Patch(t, "/company/attendance", `{"grace_for_customers":true,"grace_minutes":30}`).OK(200)
			w.A.Post(t, path+"/read", nil).OK(200)
			closeCase()
			w.Clock.Advance(29 * time.Minute)
			customerWrites(t, w, channel, phoneNumber(1))
			expectNoOpenCase(t, w, id)
			c := w.A.Get(t, path).OK(200)
			testkit.Equal(t, "unread_count", c.Int("unread_count"), 1)
			testkit.Equal(t, "open conversations", len(w.A.Get(t, "/conversations?status=open").OK(200).List()), 1)
			w.Clock.Advance(time.Minute)
			customerWrites(t, w, channel, phoneNumber(1))
			testkit.Equal(t, "opened_by after the grace period", openAttendance(t, w, id).Text("opened_by"), "customer")
		})
		t.Run("with grace_minutes 0 there is no grace period", func(t *testing.T) {
			w.A.Patch(t, "/company/attendance", `{"grace_minutes":0}`).OK(200)
			closeCase()
			w.A.Post(t, path+"/messages", message("by the way")).OK(201)
			testkit.Equal(t, "opened_by", openAttendance(t, w, id).Text("opened_by"), "team")
		})
	})
}

func TestAssignmentHistoryRecordsOnlyChangesOfPersonOrSector(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ana := addMember(t, w, "Ana")
		sales := w.A.Post(t, "/sectors", `{"name":"Sales","member_ids":["`+ana.id+`"]}`).OK(201).ID()
		support := w.A.Post(t, "/sectors", `{"name":"Support","member_ids":["`+ana.id+`"]}`).OK(201).ID()
		id := customerWrites(t, w, sandbox(t, w), phoneNumber(1))
		path := "/conversations/" + id
		entry := func(t *testing.T, count int, action string, user, from, to any) {
			t.Helper()
			list := w.A.Get(t, path+"/assignments").OK(200)
			testkit.Equal(t, "entries", len(list.List()), count)
			testkit.Equal(t, "action", list.Text("data", 0, "action"), action)
			testkit.Equal(t, "user", list.At("data", 0, "user", "id"), user)
			testkit.Equal(t, "sector_from", list.At("data", 0, "sector_from"), from)
			testkit.Equal(t, "sector_to", list.At("data", 0, "sector_to"), to)
			timeline := w.A.Get(t, path+"/timeline").OK(200)
			testkit.Equal(t, "timeline", timeline.Text("data", 0, "assignment", "action"), action)
			testkit.Equal(t, "timeline, sector_from", timeline.At("data", 0, "assignment", "sector_from"), from)
			testkit.Equal(t, "timeline, sector_to", timeline.At("data", 0, "assignment", "sector_to"), to)
		}
		w.A.Post(t, path+"/transfer", `{"user_id":"`+ana.id+`"}`).OK(200)
		entry(t, 1, "received", ana.id, nil, nil)
		w.A.Put(t, path+"/sector", `{"sector_id":"`+sales+`"}`).OK(200)
		entry(t, 2, "moved", nil, nil, sales)
		w.A.Post(t, path+"/transfer", `{"user_id":"`+ana.id+`","sector_id":"`+support+`"}`).OK(200)
		entry(t, 3, "moved", nil, sales, support)
		w.A.Post(t, path+"/transfer", `{"user_id":"`+ana.id+`"}`).OK(200)
		entry(t, 3, "moved", nil, sales, support)
		w.A.Post(t, path+"/transfer", `{"sector_id":"`+sales+`"}`).OK(200)
		entry(t, 4, "handed_back", ana.id, support, sales)
		w.A.Post(t, path+"/transfer", `{"user_id":null}`).OK(200)
		entry(t, 4, "handed_back", ana.id, support, sales)
		w.A.Post(t, path+"/transfer", `{"sector_id":"`+support+`"}`).OK(200)
		entry(t, 5, "moved", nil, sales, support)
		ana.Post(t, path+"/transfer", `{"user_id":"`+ana.id+`","sector_id":"`+sales+`"}`).OK(200)
		entry(t, 6, "took_over", ana.id, support, sales)
		w.A.Delete(t, "/sectors/"+sales).OK(204)
		entry(t, 7, "moved", nil, sales, nil)
	})
}

func TestAContactWithoutAConversationCanBeChangedAndDeleted(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		addContact := func(name string, n int) string {
			return w.A.Post(t, "/contacts", map[string]any{"name": name, "phone": phoneNumber(n)}).OK(201).ID()
		}
		rui, eva := addContact("Rui", 1), addContact("Eva", 2)
		t.Run("the phone changes", func(t *testing.T) {
			testkit.Equal(t, "phone", w.A.Patch(t, "/contacts/"+rui, map[string]any{"phone": phoneNumber(3)}).OK(200).Text("phone"), phoneNumber(3))
			testkit.Equal(t, "phone read again", w.A.Get(t, "/contacts/"+rui).OK(200).Text("phone"), phoneNumber(3))
			testkit.Equal(t, "phone of a new contact with the old number", w.A.Post(t, "/contacts", map[string]any{"name": "Ivo", "phone": phoneNumber(1)}).OK(201).Text("phone"), phoneNumber(1))
			w.A.Patch(t, "/contacts/"+rui, `{"phone":"12"}`).Fails(400, "invalid_request")
			w.B.Patch(t, "/contacts/"+rui, map[string]any{"phone": phoneNumber(9)}).Fails(404, "not_found")
		})
		t.Run("another contact's phone is refused", func(t *testing.T) {
			refused := w.A.Patch(t, "/contacts/"+rui, map[string]any{"phone": phoneNumber(2)}).Fails(409, "contact_exists")
			testkit.Equal(t, "field", refused.Text("details", 0, "field"), "body.phone")
			testkit.Equal(t, "id", refused.Text("details", 0, "message"), eva)
		})
		t.Run("with a conversation, both changes are refused", func(t *testing.T) {
			conversation := customerWrites(t, w, channel, phoneNumber(3))
			testkit.Equal(t, "contact of a message from the new number", w.A.Get(t, "/conversations/"+conversation).OK(200).Text("contact"), rui)
			w.A.Patch(t, "/contacts/"+rui, map[string]any{"phone": phoneNumber(4)}).Fails(409, "in_use")
			w.A.Patch(t, "/contacts/"+rui, map[string]any{"phone": phoneNumber(3), "city": "Santos"}).OK(200)
			w.A.Delete(t, "/contacts/"+rui).Fails(409, "in_use")
			w.A.Get(t, "/contacts/"+rui).OK(200)
		})
		t.Run("deleting a contact keeps its cards", func(t *testing.T) {
			board := w.A.Post(t, "/kanban/boards", `{"name":"Deals"}`, idempotencyKey()...).OK(201)
			card := w.A.Post(t, "/kanban/cards", map[string]any{"title": "Offer", "board_id": board.ID(), "stage_id": board.Text("stages", 0, "id"), "contact": eva}, idempotencyKey()...).OK(201)
			testkit.Equal(t, "contact", card.Text("contact"), eva)
			w.B.Delete(t, "/contacts/"+eva).Fails(404, "not_found")
			w.A.Delete(t, "/contacts/"+eva).OK(204)
			w.A.Get(t, "/contacts/"+eva).Fails(404, "not_found")
			w.A.Delete(t, "/contacts/"+eva).Fails(404, "not_found")
			testkit.Equal(t, "contact", w.A.Get(t, "/kanban/cards/"+card.ID()).OK(200).At("contact"), nil)
			testkit.Equal(t, "number of contacts named Eva", len(w.A.Get(t, "/contacts?q=Eva").OK(200).List()), 0)
			addContact("Eva again", 2)
		})
		t.Run("a concurrent conversation either prevents the deletion or finds no contact", func(t *testing.T) {
			for n := 20; n < 28; n++ {
				id := addContact("Racer", n)
				var both sync.WaitGroup
				var deleted, opened *servertest.Answer
				both.Go(func() { deleted = w.A.Delete(t, "/contacts/"+id) })
				both.Go(func() {
					opened = w.A.Post(t, "/conversations", map[string]any{"channel_id": channel, "contact_id": id})
				})
				both.Wait()
				if (deleted.Status == 204) == (opened.Status == 201) {
					t.Errorf("got %d for deleting and %d %s for opening, want one of them to succeed", deleted.Status, opened.Status, opened.Raw)
				}
			}
		})
	})
}

func TestAClosedCaseCanBeReopenedForAMinute(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana := addMember(t, w, "Ana")
		id := customerWrites(t, w, channel, phoneNumber(1))
		w.A.Post(t, "/conversations/"+id+"/transfer", map[string]any{"user_id": ana.id}).OK(200)
		before := openAttendance(t, w, id)
		card := func() string {
			return w.A.Get(t, "/kanban/cards?status=all").OK(200).Text("data", 0, "stage_id")
		}
		stage := card()
		closed := func() int { return w.A.Get(t, "/reports/attendance").OK(200).Int("totals", "closed") }

		w.A.Post(t, "/conversations/"+id+"/attendance/close", map[string]any{"reason": "by mistake"}).OK(200)
		testkit.Equal(t, "closed cases in the report", closed(), 1)
		w.Clock.Advance(50 * time.Second)
		reopened := w.A.Post(t, "/conversations/"+id+"/attendance/reopen", nil).OK(200)
		testkit.Equal(t, "status", reopened.Text("status"), "open")
		testkit.Equal(t, "the open case", string(openAttendance(t, w, id).Raw), string(before.Raw))
		testkit.Equal(t, "assignee", w.A.Get(t, "/conversations/"+id).OK(200).Text("assignee"), ana.id)
		testkit.Equal(t, "closed cases in the report after reopening", closed(), 0)
		testkit.Equal(t, "stage of the card", card(), stage)
		for _, entry := range w.A.Get(t, "/conversations/"+id+"/timeline").OK(200).List("data") {
			if kind := entry.(map[string]any)["kind"]; kind == "attendance_closed" {
				t.Errorf("the timeline still has the entry %v", entry)
			}
		}
		w.A.Post(t, "/conversations/"+id+"/attendance/reopen", nil).Fails(409, "reopen_too_late") // it is open

		// Olga sees only her own conversations. She undoes her own closing, but not that of another person.
		own := addMember(t, w, "Olga")
		w.A.Patch(t, "/team/"+own.id, map[string]any{"access_profile": "own"}).OK(200)
		mine := customerWrites(t, w, channel, phoneNumber(3))
		w.A.Post(t, "/conversations/"+mine+"/transfer", map[string]any{"user_id": own.id}).OK(200)
		own.Post(t, "/conversations/"+mine+"/attendance/close", nil).OK(200)
		own.Post(t, "/conversations/"+mine+"/attendance/reopen", nil).OK(200)
		w.A.Post(t, "/conversations/"+mine+"/attendance/close", nil).OK(200)
		own.Post(t, "/conversations/"+mine+"/attendance/reopen", nil).Fails(404, "not_found")
		w.A.Post(t, "/conversations/"+mine+"/take", nil).OK(200)
		w.A.Post(t, "/conversations/"+mine+"/attendance/reopen", nil).Fails(409, "reopen_too_late") // somebody has it

		w.A.Post(t, "/conversations/"+id+"/attendance/close", nil).OK(200)
		w.Clock.Advance(61 * time.Second)
		w.A.Post(t, "/conversations/"+id+"/attendance/reopen", nil).Fails(409, "reopen_too_late")
		w.A.Post(t, "/conversations/"+kernel.NewID().String()+"/attendance/reopen", nil).Fails(404, "not_found")

		other := customerWrites(t, w, channel, phoneNumber(2))
		w.A.Post(t, "/conversations/"+other+"/attendance/close", nil).OK(200)
		customerWrites(t, w, channel, phoneNumber(2))
		w.A.Post(t, "/conversations/"+other+"/attendance/reopen", nil).Fails(409, "reopen_too_late") // a new one is open
	})
}
