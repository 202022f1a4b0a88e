package api_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"recado/test/servertest"
	"recado/test/testkit"
)

// readCSV returns the rows of a CSV by their column names.
func readCSV(t *testing.T, a *servertest.Answer, comma rune) []map[string]string {
	t.Helper()
	a.OK(200)
	if got := a.Header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
		t.Fatalf("content type %q: %s", got, a.Raw)
	}
	text, found := bytes.CutPrefix(a.Raw, []byte("\ufeff"))
	if !found || !bytes.HasSuffix(text, []byte("\r\n")) || !strings.HasPrefix(a.Header.Get("Content-Disposition"), "attachment; filename=") {
		t.Fatalf("want a byte order mark, CRLF and an attachment: %v %q", a.Header, a.Raw)
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma = comma
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := []map[string]string{}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func TestListsAreReturnedAsCSV(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := w.A.Post(t, "/channels", `{"name": "Shop", "phone": "+551133334444", "provider": "sandbox"}`).OK(201).ID()
		label := w.A.Post(t, "/labels", `{"name": "Gold"}`).OK(201).ID()
		var conversations []string
		for i := range 12 {
			conversation := w.A.Post(t, "/channels/"+channel+"/simulate", fmt.Sprintf(`{"from": "+55119123400%02d", "name": "=cmd|%d", "text": "Bolo?"}`, i, i)).OK(201).Text("conversation")
			conversations = append(conversations, conversation)
		}
		w.A.Patch(t, "/conversations/"+conversations[0], `{"label_ids": ["`+label+`"]}`).OK(200)
		w.A.Post(t, "/conversations/"+conversations[0]+"/attendance/close", `{"note": "line one\nline \"two\"; three, four"}`).OK(200)

		t.Run("attendances have all columns, and all rows regardless of limit", func(t *testing.T) {
			rows := readCSV(t, w.A.Do(t, "GET", "/attendances?limit=1", nil, "Accept", "text/csv"), ',')
			testkit.Equal(t, "rows", len(rows), 12)
			last := rows[11]
			testkit.Equal(t, "contact.name", last["contact.name"], "'=cmd|0")
			testkit.Equal(t, "contact.phone", last["contact.phone"], "'+5511912340000")
			testkit.Equal(t, "status", last["status"], "closed")
			testkit.Equal(t, "closing.by", last["closing.by"], "person")
			testkit.Equal(t, "closing.note", last["closing.note"], "line one\nline \"two\"; three, four")
			for _, name := range []string{"id", "protocol", "responsible.name", "closing.reason.name", "survey.rating", "sla.first.state", "first_response_seconds", "opened_at"} {
				if _, found := last[name]; !found {
					t.Errorf("there is no column %s: %v", name, last)
				}
			}
			testkit.Equal(t, "opened_at", last["opened_at"], w.A.Get(t, "/attendances/"+last["id"]).OK(200).Text("opened_at"))
		})
		t.Run("the separator fits the language", func(t *testing.T) {
			for language, comma := range map[string]rune{"pt-BR,en;q=0.8": ';', "es": ';', "en-US, pt;q=0.5": ',', "": ','} {
				testkit.Equal(t, "rows for "+language, len(readCSV(t, w.A.Do(t, "GET", "/attendances?format=csv", nil, "Accept-Language", language), comma)), 12)
			}
		})
		t.Run("filters apply, and JSON stays the default", func(t *testing.T) {
			testkit.Equal(t, "closed", len(readCSV(t, w.A.Get(t, "/attendances?format=csv&status=closed"), ',')), 1)
			testkit.Equal(t, "labelled", len(readCSV(t, w.A.Get(t, "/attendances?format=csv&label="+label), ',')), 1)
			testkit.Equal(t, "none", len(readCSV(t, w.A.Get(t, "/attendances?format=csv&rating=low"), ',')), 0)
			w.A.Do(t, "GET", "/attendances", nil, "Accept", "*/*, text/csv;q=0.5").OK(200).List()
			w.A.Do(t, "GET", "/attendances?format=json", nil, "Accept", "text/csv").OK(200).List()
			testkit.Equal(t, "field", w.A.Get(t, "/attendances?format=xml").Fails(400, "invalid_request").Text("details", 0, "field"), "query.format")
			w.A.Do(t, "GET", "/attendances?status=ajar", nil, "Accept", "text/csv").Fails(400, "invalid_request")
			w.A.As("rcd_unknown").Get(t, "/attendances?format=csv").Fails(401, "key_invalid")
		})
		t.Run("contacts and cards", func(t *testing.T) {
			w.A.Post(t, "/fields", `{"entity": "contact", "key": "plan", "name": "Plan", "type": "text"}`).OK(201)
			contact := w.A.Get(t, "/contacts?limit=1").OK(200).Text("data", 0, "id")
			w.A.Patch(t, "/contacts/"+contact, `{"fields": {"plan": "@gold"}}`).OK(200)
			rows := readCSV(t, w.A.Get(t, "/contacts?format=csv&limit=1"), ',')
			testkit.Equal(t, "contacts", len(rows), 12)
			testkit.Equal(t, "fields.plan", rows[0]["fields.plan"], "'@gold")
			testkit.Equal(t, "found", len(readCSV(t, w.A.Get(t, "/contacts?format=csv&q="+url.QueryEscape("cmd|1")), ',')), 3)
			if rows := readCSV(t, w.A.Get(t, "/kanban/cards?format=csv&status=all"), ','); len(rows) != len(w.A.Get(t, "/kanban/cards?status=all&limit=100").OK(200).List()) {
				t.Errorf("%d cards", len(rows))
			}
		})
		t.Run("every table of the report", func(t *testing.T) {
			rows := readCSV(t, w.A.Do(t, "GET", "/reports/attendance", nil, "Accept", "text/csv"), ',')
			testkit.Equal(t, "section", rows[0]["section"], "totals")
			testkit.Equal(t, "opened", rows[0]["opened"], "12")
			for table, want := range map[string]int{
				"totals": 1, "previous": 1, "by_day": 30, "by_channel": 1, "by_label": 1, "by_reason": 1, "by_hour": 168, "survey": 1, "sla": 3,
			} {
				testkit.Equal(t, "rows of "+table, len(readCSV(t, w.A.Get(t, "/reports/attendance?format=csv&table="+table), ',')), want)
			}
		})
	})
}

func TestEachFigureOfTheReportHasItsListOfAttendances(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := w.A.Post(t, "/channels", `{"name": "Shop", "phone": "+551133334444", "provider": "sandbox"}`).OK(201).ID()
		label := w.A.Post(t, "/labels", `{"name": "Gold"}`).OK(201).ID()
		for i := range 5 {
			conversation := w.A.Post(t, "/channels/"+channel+"/simulate", fmt.Sprintf(`{"from": "+55119123400%02d", "text": "Bolo?"}`, i)).OK(201).Text("conversation")
			if i < 3 {
				w.A.Post(t, "/conversations/"+conversation+"/messages", fmt.Sprintf(`{"client_id": "01890a5d-ac96-774b-bcce-b302099a80%02d", "text": "Sim!"}`, i)).OK(201)
			}
			if i < 2 {
				w.A.Patch(t, "/conversations/"+conversation, `{"label_ids": ["`+label+`"]}`).OK(200)
				w.A.Post(t, "/conversations/"+conversation+"/attendance/close", `{}`).OK(200)
			}
		}
		r := w.A.Get(t, "/reports/attendance").OK(200)
		period := "&from=" + r.Text("from")
		for _, tt := range []struct {
			query string
			path  []any
			want  int
		}{
			{"on=opened", []any{"totals", "opened"}, 5},
			{"on=answered", []any{"totals", "first_response", "count"}, 3},
			{"on=closed", []any{"totals", "closed"}, 2},
			{"on=opened&channel=" + channel, []any{"by_channel", 0, "opened"}, 5},
			{"on=closed&label=" + label, []any{"by_label", 0, "closed"}, 2},
			{"on=opened&reason=none", []any{"by_reason", 0, "opened"}, 5},
			{"on=opened&sector=none", []any{"by_sector", 0, "opened"}, 5},
			{"on=closed&user=" + r.Text("by_person", 0, "user", "id"), []any{"by_person", 0, "closed"}, 2},
		} {
			got := len(w.A.Get(t, "/attendances?limit=100&"+tt.query+period).OK(200).List())
			if figure := r.Int(tt.path...); got != tt.want || figure != tt.want {
				t.Errorf("%s: %d in the list and %d in the report, want %d", tt.query, got, figure, tt.want)
			}
		}
		testkit.Equal(t, "hours", len(r.List("by_hour")), 7)
		testkit.Equal(t, "field", w.A.Get(t, "/attendances?user=none&assignee=01890a5d-ac96-774b-bcce-b302099a8057").Fails(400, "invalid_request").Text("details", 0, "field"), "query.user")
		w.A.Delete(t, "/labels/"+label).OK(204)
		testkit.Equal(t, "labels after the deletion", len(w.A.Get(t, "/reports/attendance").OK(200).List("by_label")), 0)
	})
}
