package whatsapp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/test/testkit"
)

// kinds returns direction, type and notice code of the messages in a conversation, oldest first.
func (s *shop) kinds(t *testing.T, conversation string) string {
	t.Helper()
	var got []string
	for _, m := range s.messages(t, conversation) {
		code := "-"
		if n, ok := m["notice"].(map[string]any); ok {
			code = n["code"].(string)
		}
		got = append(got, fmt.Sprint(m["direction"], " ", m["type"], " ", code))
	}
	return strings.Join(got, ", ")
}

// conversationWith returns the conversation with a phone, or "".
func (s *shop) conversationWith(t *testing.T, phone string) string {
	t.Helper()
	for _, c := range s.A.Get(t, "/conversations?limit=100").OK(200).List() {
		if c := c.(map[string]any); c["phone"] == phone {
			return c["id"].(string)
		}
	}
	return ""
}

func TestAVoicemailAndItsCallAreBothStored(t *testing.T) {
	call := func(from string) string {
		return fmt.Sprintf(`{"contacts": [{"profile": {"name": "Davi"}, "wa_id": %q}], "calls": [{"id": "wamid.V%s", "from": %q,
			"event": "terminate", "direction": "USER_INITIATED", "status": "FAILED", "timestamp": "%d"}]}`, from, from, from, time.Now().Unix())
	}
	voicemail := func(from string) string {
		return written(from, "Davi", fmt.Sprintf(`"id": "wamid.V%s", "timestamp": "%d", "type": "audio", "audio": {"id": "404", "mime_type": "audio/ogg", "voice": true}`, from, time.Now().Unix()))
	}
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		const first, second = "5511930004444", "5511930005555"
		for range 2 { // WhatsApp may send callbacks twice
			s.push(t, "calls", call(first))
			s.push(t, "messages", voicemail(first))
			s.push(t, "messages", voicemail(second))
			s.push(t, "calls", call(second))
		}
		testkit.Equal(t, "call first", s.kinds(t, s.conversationWith(t, "+"+first)), "inbound unsupported missed_voice_call, inbound audio -")
		testkit.Equal(t, "voicemail first", s.kinds(t, s.conversationWith(t, "+"+second)), "inbound audio -, inbound unsupported missed_voice_call")
		for _, from := range []string{first, second} {
			testkit.Equal[any](t, "type of the message with the id", s.find(t, s.conversationWith(t, "+"+from), "wamid.V"+from)["type"], "audio")
		}
		last := s.A.Get(t, "/conversations/"+s.conversationWith(t, "+"+second)).OK(200).At("last_message").(map[string]any)
		testkit.Diff(t, "notice of the last message", last["notice"], map[string]any{"code": "missed_voice_call", "params": map[string]any{}})
	})
}

func TestAVoicemailIsStoredWhereverItsCallIs(t *testing.T) {
	const caller, other = "5511930004444", "5511930005555"
	call := fmt.Sprintf(`{"contacts": [{"profile": {"name": "Davi"}, "wa_id": %q}], "calls": [{"id": "wamid.V", "from": %q,
		"event": "terminate", "direction": "USER_INITIATED", "status": "FAILED", "timestamp": "%d"}]}`, caller, caller, time.Now().Unix())
	audio := fmt.Sprintf(`"id": "wamid.V", "timestamp": "%d", "type": "audio", "audio": {"id": "404", "mime_type": "audio/ogg", "voice": true}`, time.Now().Unix())
	for name, test := range map[string]struct{ field, value, in, want string }{
		"in another conversation": {"messages", written(other, "Davi", audio), other, "inbound audio -"},
		"of an unknown type": {
			"messages", written(caller, "Davi", fmt.Sprintf(`"id": "wamid.V", "timestamp": "%d", "type": "unsupported", "errors": [{"code": 131051}]`, time.Now().Unix())),
			caller, "inbound unsupported missed_voice_call, inbound unsupported -",
		},
		"in the history": {
			"history", `{"history": [{"metadata": {"phase": 1, "chunk_order": 1, "progress": 100}, "threads": [{"id": "` + other + `", "messages": [{"from": "` + other + `", ` + audio + `}]}]}]}`,
			other, "inbound audio -",
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
				for range 2 {
					s.push(t, "calls", call)
					s.push(t, test.field, test.value)
				}
				testkit.Equal(t, "messages", s.kinds(t, s.conversationWith(t, "+"+test.in)), test.want)
				if test.in != caller {
					testkit.Equal(t, "messages of the caller", s.kinds(t, s.conversationWith(t, "+"+caller)), "inbound unsupported missed_voice_call")
				}
			})
		})
	}
}

func TestImportedHistoryFromAnotherSpellingOfTheBusinessNumberIsOutbound(t *testing.T) {
	for name, test := range map[string]struct{ business, message string }{
		"without the ninth digit": {"5581988887777", `"from": "558188887777", "to": "5511930001111"`},
		"Mexico with its 1":       {"525512345678", `"from": "5215512345678"`},
		"from_me and no from":     {"5581988887777", `"from_me": true`},
	} {
		t.Run(name, func(t *testing.T) {
			eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
				s.push(t, "history", fmt.Sprintf(`{"messaging_product": "whatsapp", "metadata": {"display_phone_number": %q, "phone_number_id": %q},
					"history": [{"threads": [{"id": "5511930001111", "messages": [{%s, "id": "wamid.H", "timestamp": "%d", "type": "text", "text": {"body": "bom dia"}, "history_context": {"status": "READ"}}]}]}]}`,
					test.business, simulator.DefaultNumberID, test.message, began))
				testkit.Equal(t, "number of conversations", len(s.A.Get(t, "/conversations").OK(200).List()), 1)
				m := s.find(t, s.conversationWith(t, "+5511930001111"), "wamid.H")
				testkit.Equal[any](t, "direction", m["direction"], "outbound")
				testkit.Equal[any](t, "origin", m["origin"], "phone")
				testkit.Equal[any](t, "status", m["status"], "read")
			})
		})
	}
}

func TestStandbyMessagesAreMarkedAndTriggerNoAutomation(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		s.A.Put(t, "/channels/"+s.channel+"/reception", `{"enabled": true, "greeting": "Olá!"}`).OK(200)
		now := time.Now().Unix()
		s.push(t, "standby", fmt.Sprintf(`{"standby": {"contacts": [{"profile": {"name": "Ana"}, "wa_id": "5511930001111"}],
			"messages": [{"from": "5511930001111", "id": "wamid.S1", "timestamp": "%d", "type": "text", "text": {"body": "oi, robô"}}]}}`, now))
		s.push(t, "standby", fmt.Sprintf(`{"standby": {"message_echoes": [{"from": "%s", "to": "5511930001111", "id": "wamid.S2", "timestamp": "%d", "type": "text", "text": {"body": "Oi! Sou o assistente."}}]}}`,
			strings.TrimPrefix(s.channelNow(t)["phone"].(string), "+"), now))
		s.push(t, "standby", fmt.Sprintf(`{"standby": {"statuses": [{"id": "wamid.S2", "status": "delivered", "timestamp": "%d", "recipient_id": "5511930001111"}]}}`, now))
		conversation := s.conversationOf(t, "wamid.S1")
		all := s.messages(t, conversation)
		testkit.Equal(t, "number of messages", len(all), 2)
		for i, want := range []struct{ direction, origin, status string }{{"inbound", "customer", "received"}, {"outbound", "automation", "delivered"}} {
			testkit.Equal[any](t, "standby", all[i]["standby"], true)
			testkit.Equal[any](t, "direction", all[i]["direction"], want.direction)
			testkit.Equal[any](t, "origin", all[i]["origin"], want.origin)
			testkit.Equal[any](t, "status", all[i]["status"], want.status)
		}
		c := s.A.Get(t, "/conversations/"+conversation).OK(200)
		testkit.Equal(t, "unread_count", c.Int("unread_count"), 1)
		testkit.Equal(t, "attendance", c.At("attendance"), nil)
		if expires, err := time.Parse(time.RFC3339, c.Text("window_expires_at")); err != nil || !expires.After(time.Now()) {
			t.Errorf("window_expires_at: got %v, %v, want a time in the future", expires, err)
		}
		unread := s.A.Get(t, "/conversations?unread=true").OK(200).List()
		testkit.Equal(t, "unread conversations", len(unread), 1)

		s.push(t, "messages", written("5511930001111", "Ana", textMessage("wamid.S3", int(now), "quero uma pessoa")))
		testkit.Equal[any](t, "standby of a message for us", s.find(t, conversation, "wamid.S3")["standby"], false)
		if s.A.Get(t, "/conversations/"+conversation).OK(200).At("attendance") == nil {
			t.Fatal("got no attendance after a message for us, want one")
		}
		testkit.Equal[any](t, "greeting", s.messages(t, conversation)[3]["text"], "Olá!")
	})
}

func TestAFormFromACustomerIsStored(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		conversation, external := s.customer(t, simulator.Inbound{Customer: "5511930001111", Type: "interactive", Payload: []byte(
			`{"type": "nfm_reply", "nfm_reply": {"name": "flow", "body": "Sent", "response_json": "{\"flow_token\":\"s3cret\",\"screen_0_Nome_0\":\"Ana\",\"fotos\":[{\"file_name\":\"casa.jpg\",\"id\":7}]}"}}`)})
		m := s.find(t, conversation, external)
		testkit.Diff(t, "form", m["form"], map[string]any{"name": "flow", "fields": []any{
			map[string]any{"name": "screen_0_Nome_0", "label": "Nome", "value": "Ana"},
			map[string]any{"name": "fotos", "label": "fotos", "value": "casa.jpg"},
		}})
		testkit.Equal[any](t, "text", m["text"], "Sent\nNome: Ana\nfotos: casa.jpg")
		if _, err := s.sim.Revoke(external); err != nil {
			t.Fatal(err)
		}
		drain(t, s.sim)
		testkit.Equal(t, "form of a deleted message", s.find(t, conversation, external)["form"], nil)
	})
}

// codeOf returns the code of a reason.
func codeOf(reason any) string {
	fields, _ := reason.(map[string]any)
	code, _ := fields["code"].(string)
	return code
}

func TestALiftedRestrictionIsNotShown(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		s.push(t, "account_update", `{"event": "ACCOUNT_RESTRICTION", "restriction_info": [{"restriction_type": "RESTRICTED_BIZ_INITIATED_MESSAGING"}]}`)
		if s.channelNow(t)["warning"] == nil {
			t.Fatal("got no warning after a restriction, want one")
		}
		s.push(t, "account_update", `{"event": "ACCOUNT_RESTRICTION"}`)
		testkit.Equal(t, "warning", s.channelNow(t)["warning"], nil)
		t.Run("a ban remains", func(t *testing.T) {
			s.push(t, "account_update", `{"event": "DISABLED_UPDATE", "ban_info": {"waba_ban_state": "DISABLE"}}`)
			s.push(t, "account_update", `{"event": "ACCOUNT_RESTRICTION", "restriction_info": []}`)
			testkit.Equal(t, "warning", codeOf(s.channelNow(t)["warning"]), "account_disabled")
		})
	})
}

func TestAnInactivePhoneIsNotTheBusinessRemovingTheApp(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		s.push(t, "account_update", `{"event": "PARTNER_REMOVED", "disconnection_info": {"reason": "PRIMARY_INACTIVITY", "initiated_by": "SYSTEM"}}`)
		c := s.channelNow(t)
		testkit.Equal[any](t, "status", c["status"], "disconnected")
		reason, _ := c["status_reason"].(map[string]any)
		testkit.Equal(t, "status_reason", codeOf(reason), "app_removed")
		testkit.Diff(t, "params", reason["params"], map[string]any{"reason": "phone_inactive"})
	})
}

func TestGroupsAreNamedAfterTheirSubjects(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		const id = "Y2FwaV9ncm91cDox"
		create := `{"groups": [{"timestamp": "1790000000", "group_id": "` + id + `", "type": "group_create", "request_id": "r", "subject": "Obra da Ana"}]}`
		settings := func(text string, successful bool) string {
			return fmt.Sprintf(`{"groups": [{"timestamp": "1790000000", "group_id": "%s", "type": "group_settings_update", "group_subject": {"text": %q, "update_successful": %t}}]}`, id, text, successful)
		}
		name := func(t *testing.T) string {
			t.Helper()
			return s.A.Get(t, "/conversations/"+s.conversationOf(t, "wamid.G1")).OK(200).Text("name")
		}
		s.push(t, "group_lifecycle_update", create)
		s.push(t, "messages", written("5511930001111", "Ana", `"group_id": "`+id+`", `+textMessage("wamid.G1", began, "oi")))
		testkit.Equal(t, "name", name(t), "Obra da Ana")
		s.push(t, "group_settings_update", settings("Obra: cozinha", true))
		testkit.Equal(t, "name after a change", name(t), "Obra: cozinha")
		s.push(t, "group_settings_update", settings("Não deu", false))
		s.push(t, "group_lifecycle_update", create)
		testkit.Equal(t, "name after a change that failed and a repeat", name(t), "Obra: cozinha")
		s.push(t, "messages", written("5511930001111", "Ana", `"group_id": "outro", "group_subject": "Outro grupo", `+textMessage("wamid.G2", began, "oi")))
		testkit.Equal(t, "name from a message", s.A.Get(t, "/conversations/"+s.conversationOf(t, "wamid.G2")).OK(200).Text("name"), "Outro grupo")
		s.A.Patch(t, "/conversations/"+s.conversationOf(t, "wamid.G1"), map[string]any{"name": "Nossa obra"}).OK(200)
		s.push(t, "group_settings_update", settings("Obra: banheiro", true))
		testkit.Equal(t, "name that the team gave", name(t), "Nossa obra")
	})
}

func TestAnEchoToAGroupCreatesNoContact(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		for i, to := range []string{"120363404694233820", "120363404694233820@g.us"} {
			s.push(t, "smb_message_echoes", fmt.Sprintf(`{"message_echoes": [{"from": "%s", "to": %q, "id": "wamid.E%d", "timestamp": "%d", "type": "text", "text": {"body": "oi"}}]}`,
				strings.TrimPrefix(s.channelNow(t)["phone"].(string), "+"), to, i, began))
			c := s.A.Get(t, "/conversations/"+s.conversationOf(t, fmt.Sprint("wamid.E", i))).OK(200)
			testkit.Equal(t, "kind", c.Text("kind"), "group")
		}
		testkit.Equal(t, "number of contacts", len(s.A.Get(t, "/contacts").OK(200).List()), 0)
	})
}

func TestANumberSharedOnRequestBecomesTheContactsPhone(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		message := func(id, more string) string {
			return fmt.Sprintf(`{"contacts": [{"profile": {"name": "Sheena", "username": "sheena"}, "user_id": "US.1349"}],
				"messages": [{"from_user_id": "US.1349", "id": %q, "timestamp": "%d", "type": "contacts", %s}]}`, id, began, more)
		}
		phone := func(t *testing.T, external string) any {
			t.Helper()
			return s.A.Get(t, "/conversations/"+s.conversationOf(t, external)).OK(200).At("phone")
		}
		s.push(t, "messages", message("wamid.C1", `"contacts": [{"origin": "other", "phones": [{"phone": "+16505559999"}]}]`))
		testkit.Equal(t, "phone after the card of another person", phone(t, "wamid.C1"), nil)
		s.push(t, "messages", message("wamid.C2", `"origin": "contact_request", "contacts": [{"vcard": "BEGIN:VCARD\nTEL:+1 650-555-1234\nEND:VCARD", "phones": [{"phone": "16505551234"}]}]`))
		testkit.Equal[any](t, "phone", phone(t, "wamid.C2"), "+16505551234")
		testkit.Equal[any](t, "text", s.find(t, s.conversationOf(t, "wamid.C2"), "wamid.C2")["text"], "16505551234")
	})
}

func TestTheErrorForAClosedWindowSaysWhy(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		send := func(conversation string) map[string]any {
			a := s.A.Post(t, "/conversations/"+conversation+"/messages", map[string]any{"client_id": kernel.NewID().String(), "text": "Olá"}).Fails(409, "service_window_closed")
			params, _ := a.At("params").(map[string]any)
			return params
		}
		fresh := s.A.Post(t, "/conversations", map[string]any{"channel_id": s.channel, "phone": "+5511930009999"}).OK(201).ID()
		testkit.Diff(t, "params for one who never wrote", send(fresh), map[string]any{"reason": "never_wrote"})
		s.push(t, "messages", written("5511930001111", "Ana", textMessage("wamid.W", int(time.Now().Add(-25*time.Hour).Unix()), "ontem")))
		testkit.Diff(t, "params for one who wrote long ago", send(s.conversationOf(t, "wamid.W")), map[string]any{"reason": "expired"})
		missing := s.A.Get(t, "/conversations/"+kernel.NewID().String()).Fails(404, "not_found")
		testkit.Diff(t, "params of another error", missing.At("params"), map[string]any{})
	})
}
