package whatsapp_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/test/testkit"
)

func TestMessagesShowWhereTheyCameFrom(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		t.Run("who wrote in a group", func(t *testing.T) {
			s.push(t, "messages", written("5511930001111", "Ana", `"group_id": "Z3J1cG8=", `+textMessage("wamid.G1", began, "oi")))
			s.push(t, "messages", written("5511930002222", "Rui", `"group_id": "Z3J1cG8=", `+textMessage("wamid.G2", began, "olá")))
			all := s.messages(t, s.conversationOf(t, "wamid.G1"))
			for i, want := range []string{"Ana", "Rui"} {
				author, _ := all[i]["author"].(map[string]any)
				if author == nil {
					t.Fatalf("got %v, want an author", all[i])
				}
				testkit.Equal[any](t, "name of the author", author["name"], want)
				s.A.Get(t, "/contacts/"+author["id"].(string)).OK(200)
			}
		})
		t.Run("the ad and the product", func(t *testing.T) {
			s.push(t, "messages", written("5511930003333", "Bia", textMessage("wamid.R", began, "oi")+
				`, "referral": {"source_url": "https://fb.me/a", "source_type": "ad", "source_id": "12", "headline": "Pão", "ctwa_clid": "Af3"},
				"context": {"referred_product": {"catalog_id": "1", "product_retailer_id": "pao"}}`))
			m := s.find(t, s.conversationOf(t, "wamid.R"), "wamid.R")
			referral, product := m["referral"].(map[string]any), m["product"].(map[string]any)
			testkit.Equal(t, "referral.source_url", referral["source_url"], "https://fb.me/a")
			testkit.Equal(t, "referral.ctwa_clid", referral["ctwa_clid"], "Af3")
			if referral["body"] != nil {
				t.Fatalf("got %v, want a referral without a body", m)
			}
			testkit.Equal(t, "product.product_retailer_id", product["product_retailer_id"], "pao")
			if m["author"] != nil {
				t.Fatalf("got %v, want no author", m)
			}
		})
		t.Run("a missed call is shown and opens the service window", func(t *testing.T) {
			s.push(t, "calls", fmt.Sprintf(`{"contacts": [{"profile": {"name": "Davi"}, "wa_id": "5511930004444"}], "calls": [{"id": "wacid.A", "from": "5511930004444",
				"event": "terminate", "direction": "USER_INITIATED", "status": "FAILED", "timestamp": "%d"}]}`, time.Now().Unix()))
			conversation := s.conversationOf(t, "wacid.A")
			if m := s.find(t, conversation, "wacid.A"); m["type"] != "unsupported" || m["text"] != "Missed voice call" {
				t.Fatalf("got %v, want type unsupported and text Missed voice call", m)
			}
			s.A.Post(t, "/conversations/"+conversation+"/messages", map[string]any{"client_id": kernel.NewID().String(), "text": "Ligo já"}).OK(201)
		})
	})
}

func TestImportedHistoryComesBeforeLiveMessages(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		const ana = "5511930001111"
		s.push(t, "messages", written(ana, "Ana", textMessage("wamid.L1", began, "ao vivo")))
		history := func(messages string) string {
			return `{"history": [{"metadata": {"phase": 1, "chunk_order": 1, "progress": 100}, "threads": [{"id": "` + ana + `", "messages": [` + messages + `]}]}]}`
		}
		one := func(id string, at int, more string) string {
			return fmt.Sprintf(`{"from": %q, "id": %q, "timestamp": "%d", %s}`, ana, id, at, more)
		}
		s.push(t, "history", history(one("wamid.H3", began-10, `"type": "media_placeholder"`)+","+one("wamid.H1", began-100, `"type": "text", "text": {"body": "um"}`)))
		s.push(t, "history", history(one("wamid.H2", began-50, `"type": "text", "text": {"body": "dois"}`)+
			fmt.Sprintf(`,{"from": %q, "to": %q, "id": "wamid.H2b", "timestamp": "%d", "type": "text", "text": {"body": "resposta"}, "history_context": {"status": "READ"}}`, strings.TrimPrefix(s.channelNow(t)["phone"].(string), "+"), ana, began-50)))
		s.push(t, "messages", written(ana, "Ana", textMessage("wamid.L2", began-200, "atrasada")))
		s.push(t, "history", `{"messages": [`+one("wamid.H3", began-10, `"type": "image", "image": {"id": "404", "mime_type": "image/jpeg", "caption": "foto"}`)+`]}`)
		conversation := s.conversationOf(t, "wamid.L1")
		var got []string
		for _, m := range s.messages(t, conversation) {
			got = append(got, fmt.Sprint(m["external_id"], " ", m["type"], " ", m["status"]))
		}
		want := "wamid.H1 text received, wamid.H2 text received, wamid.H2b text read, wamid.H3 image received, wamid.L1 text received, wamid.L2 text received"
		if strings.Join(got, ", ") != want {
			t.Fatalf("got  %s\nwant %s", strings.Join(got, ", "), want)
		}
		c := s.A.Get(t, "/conversations/"+conversation).OK(200)
		testkit.Equal(t, "unread_count", c.Int("unread_count"), 2)
		testkit.Equal(t, "text of the last message", c.At("last_message").(map[string]any)["text"], "atrasada")
		page := s.A.Get(t, "/conversations/"+conversation+"/messages?limit=3").OK(200)
		older := s.A.Get(t, "/conversations/"+conversation+"/messages?limit=3&before="+page.Text("before")).OK(200)
		testkit.Equal(t, "number of older messages", len(older.List()), 3)
		testkit.Equal(t, "before", older.At("before"), nil)
	})
}

func TestNamesFromThePhonesAddressBookAreUsed(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		s.push(t, "smb_app_state_sync", `{"state_sync": [{"type": "contact", "action": "add", "contact": {"full_name": "Tia Rosa", "phone_number": "5511930005555"}}]}`)
		ids, err := s.sim.Echo(simulator.Inbound{Customer: "5511930005555", Text: "oi tia"})
		must(t, err)
		drain(t, s.sim)
		testkit.Equal(t, "name", s.A.Get(t, "/conversations/"+s.conversationOf(t, ids[0])).OK(200).Text("name"), "Tia Rosa")
	})
}

func TestARestrictionByMetaIsShownInTheChannel(t *testing.T) {
	for name, test := range map[string]struct{ value, status, warning string }{
		"a restriction":    {`{"event": "ACCOUNT_RESTRICTION", "restriction_info": [{"restriction_type": "RESTRICTED_ADD_PHONE_NUMBER_ACTION", "expiration": 4102444800}]}`, "connected", "restricted"},
		"an announced ban": {`{"event": "DISABLED_UPDATE", "ban_info": {"waba_ban_state": "SCHEDULE_FOR_DISABLE", "waba_ban_date": "June 1"}}`, "connected", "disable_scheduled"},
		"a ban":            {`{"event": "DISABLED_UPDATE", "ban_info": {"waba_ban_state": "DISABLE"}}`, "disconnected", "account_disabled"},
		"a removal":        {`{"event": "PARTNER_REMOVED"}`, "disconnected", ""},
		"an offboarding":   {`{"event": "ACCOUNT_OFFBOARDED"}`, "disconnected", ""},
		"a deletion":       {`{"event": "ACCOUNT_DELETED"}`, "disconnected", ""},
		"another number":   {`{"event": "PARTNER_REMOVED", "phone_number": "15550001111"}`, "connected", "none"},
	} {
		t.Run(name, func(t *testing.T) {
			eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
				s.push(t, "account_update", test.value)
				must(t, s.Desk.Channels.FlushCallbackActivity(t.Context())) // a callback must not clear the warning
				c := s.channelNow(t)
				warning := codeOf(c["warning"])
				testkit.Equal[any](t, "status", c["status"], test.status)
				if test.warning == "none" && warning != "" {
					t.Fatalf("got the warning %q, want none: %v", warning, c)
				}
				if test.warning != "none" && (warning == "" || test.warning != "" && warning != test.warning) {
					t.Fatalf("got the warning %q, want %q, or any if that is empty: %v", warning, test.warning, c)
				}
				if test.status == "disconnected" && codeOf(c["status_reason"]) != warning {
					t.Fatalf("got %v, want the status_reason %q", c, warning)
				}
				s.push(t, "account_update", `{"event": "DISABLED_UPDATE", "ban_info": {"waba_ban_state": "REINSTATE"}}`)
				if c := s.channelNow(t); c["status"] != test.status || c["warning"] != nil {
					t.Fatalf("after the reinstatement: got %v, want status %s and no warning", c, test.status)
				}
			})
		})
	}
}

// channelNow returns the shop's channel from the list.
func (s *shop) channelNow(t *testing.T) map[string]any {
	t.Helper()
	for _, c := range s.A.Get(t, "/channels").OK(200).List() {
		if c := c.(map[string]any); c["id"] == s.channel {
			return c
		}
	}
	t.Fatal("GET /channels does not contain the shop's channel")
	return nil
}

func TestFilesThatCannotBeFetchedAreGivenUp(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		gone := func(t *testing.T, external string) {
			t.Helper()
			m := s.find(t, s.conversationOf(t, external), external)
			media, _ := m["media_id"].(string)
			testkit.Eventually(t, "the server stops trying", func() bool { return s.A.Get(t, "/media/"+media+"/url").Status != 503 })
			if a := s.A.Get(t, "/media/"+media+"/url").OK(404); !bytes.Contains(a.Raw, []byte("could not be fetched from WhatsApp")) {
				t.Fatalf("got %s, want \"could not be fetched from WhatsApp\"", a.Raw)
			}
		}
		t.Run("a file that WhatsApp does not have is given up at once", func(t *testing.T) {
			s.push(t, "messages", written("5511930001111", "Ana", fmt.Sprintf(`"id": "wamid.M", "timestamp": "%d", "type": "image", "image": {"id": "404404", "mime_type": "image/jpeg"}`, began)))
			gone(t, "wamid.M")
		})
	})
}
