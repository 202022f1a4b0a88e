package talk

import (
	"strings"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/test/testkit"
)

// These tests pin the JSON of responses and events. ID and AT are placeholders for jsonID and jsonAt.

var (
	jsonID = kernel.ID{0x01, 0x9a, 0x8f, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 0x01}
	jsonAt = time.Date(2026, 11, 17, 12, 0, 0, 5e6, time.UTC)
)

func equalJSON(t *testing.T, noun any, want string) {
	t.Helper()
	got, err := kernel.EncodeJSON(noun)
	if err != nil {
		t.Fatal(err)
	}
	short := strings.NewReplacer(jsonID.String(), "ID", jsonAt.Format(kernel.Time), "AT").Replace(string(got))
	testkit.Equal(t, "the JSON", short, strings.ReplaceAll(want, "\n", ""))
}

func TestMessageJSON(t *testing.T) {
	id, at, text, seconds := jsonID, jsonAt, "Olá", 1.5
	ref := &kernel.Ref{ID: id, Name: "Ana"}
	t.Run("with little", func(t *testing.T) {
		equalJSON(t, &Message{ID: id, Conversation: id, Direction: provider.Inbound, Type: provider.TypeText, CreatedAt: at}, `{"id":"ID","client_id":null,"conversation":"ID","direction":"inbound","origin":"","type":"text","text":null,"media_id":null,"media":null,
"reply_to_external_id":null,"external_id":null,"status":"","error":null,"sent_by":null,"created_at":"AT","sent_at":null,"delivered_at":null,"read_at":null,
"author":null,"reactions":[],"referral":null,"product":null,"edited_at":null,"revoked_at":null,"interactive":null,"choice":null,"voice":false,
"integration":null,"notice":null,"form":null,"standby":false,"cost":null}`)
	})
	t.Run("with everything", func(t *testing.T) {
		equalJSON(t, &Message{
			ID: id, ClientID: &id, Conversation: id, Direction: provider.Outbound, Origin: provider.OriginApp, Type: provider.TypeText, Text: &text,
			MediaID: &id, Media: &MessageMedia{ID: id, MimeType: "audio/ogg", FileName: "a.ogg", Size: 7, DurationSeconds: &seconds},
			ReplyTo: &text, ExternalID: &text, Status: provider.StatusFailed, Error: new(provider.NewReason("c", "m")), SentBy: ref,
			CreatedAt: at, SentAt: &at, DeliveredAt: &at, ReadAt: &at, Author: &MessageAuthor{Name: "Rui"},
			Reactions: Reactions{{By: ByTeam, At: at}, {Emoji: "👍", By: ByCustomer, At: at}},
			Referral:  &provider.Referral{SourceURL: &text}, Product: &provider.Product{CatalogID: "1", ProductRetailerID: "2"}, EditedAt: &at, RevokedAt: &at,
			Interactive: &provider.Interactive{Body: "b", List: &provider.InteractiveList{Button: "x", Sections: []provider.InteractiveSection{{Rows: []provider.InteractiveRow{{ID: "1", Title: "t"}}}}}},
			Choice:      &provider.Choice{ID: "1", Title: "t"}, Voice: true, Integration: ref,
			Notice: &provider.MessageNotice{Code: provider.NoticeVoiceCall, Params: map[string]any{"kind": "x", "duration_seconds": 3}},
			Form:   &provider.Form{Name: "flow", Fields: []provider.FormField{{Name: "n", Label: "l", Value: "v"}}}, Standby: true, Cost: &Cost{Category: "marketing", Type: "regular", Billable: true, Amount: new(kernel.Amount(312500)), Currency: new("BRL")},
		}, `{"id":"ID","client_id":"ID","conversation":"ID","direction":"outbound","origin":"app","type":"text","text":"Olá","media_id":"ID",
"media":{"id":"ID","mime_type":"audio/ogg","file_name":"a.ogg","size":7,"width":null,"height":null,"duration_seconds":1.5},
"reply_to_external_id":"Olá","external_id":"Olá","status":"failed","error":{"code":"c","params":{},"message":"m"},"sent_by":{"id":"ID","name":"Ana"},
"created_at":"AT","sent_at":"AT","delivered_at":"AT","read_at":"AT","author":{"id":null,"name":"Rui"},
"reactions":[{"emoji":"👍","by":"customer","user":null,"at":"AT"}],
"referral":{"source_url":"Olá","source_id":null,"source_type":null,"headline":null,"body":null,"media_type":null,"image_url":null,"video_url":null,
"thumbnail_url":null,"ctwa_clid":null,"welcome_message":null},
"product":{"catalog_id":"1","product_retailer_id":"2"},"edited_at":"AT","revoked_at":"AT",
"interactive":{"body":"b","header":null,"footer":null,"buttons":null,
"list":{"button":"x","sections":[{"title":null,"rows":[{"id":"1","title":"t","description":null}]}]}},
"choice":{"id":"1","title":"t"},"voice":true,"integration":{"id":"ID","name":"Ana"},
"notice":{"code":"voice_call","params":{"duration_seconds":3,"kind":"x"}},
"form":{"name":"flow","fields":[{"name":"n","label":"l","value":"v"}]},"standby":true,"cost":{"category":"marketing","type":"regular","billable":true,"amount":0.3125,"currency":"BRL"}}`)
	})
}

func TestConversationJSON(t *testing.T) {
	id, at, text := jsonID, jsonAt, "Olá"
	c := Conversation{ID: id, Kind: KindDirect, Name: "Rui", Channel: id, CreatedAt: at, UpdatedAt: at}
	bare := `{"id":"ID","kind":"direct","name":"Rui","picture":null,"phone":null,"contact":null,"erased":false,"channel":"ID","assignee":null,"sector":null,
"archived":false,"pinned":false,"muted":false,"cases":false,"label_ids":[],"unread":false,"unread_count":0,"last_message":null,"attendance":null,
"window_expires_at":null,"snoozed_until":null,"bot_paused_until":null,"created_at":"AT","updated_at":"AT"`
	t.Run("for a key", func(t *testing.T) { equalJSON(t, &c, bare+"}") })
	var none *Draft
	c.Draft = &none
	t.Run("for a person without a draft", func(t *testing.T) { equalJSON(t, &c, bare+`,"draft":null}`) })
	draft := &Draft{Text: text, UpdatedAt: at}
	t.Run("with everything", func(t *testing.T) {
		equalJSON(t, &Conversation{
			ID: id, Kind: KindGroup, Name: "Rui", Picture: &text, Phone: &text, Contact: &id, Channel: id, Assignee: &id, Sector: &id, Archived: true, Pinned: true, Muted: true,
			LabelIDs: []kernel.ID{id, id}, Unread: true, UnreadCount: 2,
			LastMessage: &LastMessage{ID: id, Type: provider.TypeText, Text: &text, Direction: provider.Inbound, CreatedAt: at, Status: provider.StatusReceived},
			Attendance:  &OpenAttendance{ID: id, Protocol: "ATD-000001", OpenedAt: at, WaitingSince: &at}, WindowExpiresAt: &at, SnoozedUntil: &at, BotPausedUntil: &at,
			CreatedAt: at, UpdatedAt: at, Draft: &draft,
		}, `{"id":"ID","kind":"group","name":"Rui","picture":"Olá","phone":"Olá","contact":"ID","erased":false,"channel":"ID","assignee":"ID","sector":"ID",
"archived":true,"pinned":true,"muted":true,"cases":false,"label_ids":["ID","ID"],"unread":true,"unread_count":2,
"last_message":{"id":"ID","type":"text","text":"Olá","direction":"inbound","created_at":"AT","status":"received","file_name":null,"duration_seconds":null,"notice":null},
"attendance":{"id":"ID","protocol":"ATD-000001","opened_at":"AT","waiting_since":"AT","sla":null},
"window_expires_at":"AT","snoozed_until":"AT","bot_paused_until":"AT","created_at":"AT","updated_at":"AT",
"draft":{"text":"Olá","reply_to_external_id":null,"updated_at":"AT"}}`)
	})
}

func TestAttendanceJSON(t *testing.T) {
	id, at, text, seconds := jsonID, jsonAt, "Olá", int64(60)
	equalJSON(t, &Attendance{
		ID: id, Protocol: "ATD-000001", Status: AttendanceClosed, Conversation: id, Channel: id, Contact: AttendanceContact{Name: "Rui", Phone: &text},
		Responsible: &kernel.Ref{ID: id, Name: "Ana"}, Sector: &id, OpenedAt: at, OpenedBy: OpenedByTeam, FirstResponseAt: &at, FirstResponseSeconds: &seconds,
		ClosedAt: &at, CloseReason: &text,
	}, `{"id":"ID","protocol":"ATD-000001","status":"closed","conversation":"ID","channel":"ID","contact":{"id":null,"name":"Rui","phone":"Olá","erased":false},
"responsible":{"id":"ID","name":"Ana"},"sector":"ID","opened_at":"AT","opened_by":"team","first_response_at":"AT","first_response_seconds":60,
"closed_at":"AT","closed_by":null,"close_reason":"Olá","close_cause":null,"closing":null,"fields":{},"survey":null,"sla":null,"cost":null}`)
}

func TestTimelineJSON(t *testing.T) {
	equalJSON(t, &TimelinePage{Data: []TimelineEntry{{Kind: TimelineNote, ID: jsonID, At: jsonAt, Note: &Note{ID: jsonID, ClientID: jsonID, Conversation: jsonID, Author: kernel.Ref{ID: jsonID}, CreatedAt: jsonAt}}}}, `{"data":[{"kind":"note","id":"ID","at":"AT","note":{"id":"ID","client_id":"ID","conversation":"ID","attendance":null,"text":"","mentions":[],
"author":{"id":"ID","name":""},"created_at":"AT","edited_at":null}}],"before":null,"after":null}`)
}
