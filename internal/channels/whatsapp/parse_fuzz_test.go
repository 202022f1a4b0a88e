package whatsapp

import (
	"os"
	"strings"
	"testing"
)

func FuzzParseCallback(f *testing.F) {
	f.Add(batch(3))
	f.Add([]byte(`{"object":"whatsapp_business_account","entry":[]}`))
	f.Add([]byte(`{"object":"whatsapp_business_account","entry":{"changes":{"field":"messages","value":null}}}`))
	for _, field := range []string{"messages", "message_echoes", "statuses", "history", "state_sync", "errors", "user_id_update"} {
		f.Add(callbackOf("messages", field, `null,1,"x",[],{},{"id":1,"type":"edit","edit":{"original_message_id":"a","message":[]}}`))
	}
	seeds, err := os.ReadDir("testdata/callbacks")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range seeds {
		body, err := os.ReadFile("testdata/callbacks/" + seed.Name())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		events, err := ParseCallback(body)
		if err != nil && len(events) > 0 {
			t.Error("events beside an error")
		}
		for _, e := range events {
			in, set := e.Incoming, 0
			for _, is := range []bool{in.Message != nil, in.Status != nil, in.Edit != nil, in.Revoke != nil, in.Reaction != nil, in.Account != nil, in.Template != nil, in.Import != nil, in.Identity != nil, in.Notice != nil} {
				if is {
					set++
				}
			}
			if set != 1 {
				t.Errorf("%d kinds set in one event: %+v", set, in)
			}
			if m := in.Message; m != nil && (m.ExternalID == "" || m.Type == "" || strings.ContainsRune(m.Text, 0)) {
				t.Errorf("not a message to store: %+v", m)
			}
			if s := in.Status; s != nil && (s.ExternalID == "" || (s.Status == "failed") != (s.Error != nil)) {
				t.Errorf("not a status to store: %+v", s)
			}
		}
	})
}

func BenchmarkParseCallback(b *testing.B) {
	body := batch(1000)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if events, err := ParseCallback(body); err != nil || len(events) != 1000 {
			b.Fatalf("want err == nil and number of events == 1000; got %+v, %+v", err, len(events))
		}
	}
}
