package api_test

import (
	"bufio"
	"net/http"
	"runtime"
	"testing"

	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestNoCSVHasAPrivateCase(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, email := member(t, w.A.Client, "Ada", `"role":"admin"`)
		admin := w.A.SignIn(t, email, password)
		channel := admin.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		receiveConfidentialMessage(t, w, channel)
		for _, path := range []string{"/attendances", "/contacts", "/kanban/cards"} {
			if len(admin.Get(t, path).OK(200).List()) == 0 {
				t.Errorf("%s: the viewer sees nothing", path)
			}
			testkit.Equal(t, "rows of "+path, len(readCSV(t, admin.Get(t, path+"?format=csv"), ',')), 0)
		}
	})
}

func TestManyAttendancesAreStreamedInConstantMemory(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const rows = 100_000
		channel := w.A.Post(t, "/channels", `{"name": "Shop", "phone": "+551133334444", "provider": "sandbox"}`).OK(201).ID()
		w.A.Post(t, "/channels/"+channel+"/simulate", `{"from": "+5511912345678", "text": "Bolo?"}`).OK(201)
		err := w.Desk.Kernel.Store.Write(t.Context(), func(tx *kernel.Tx) error {
			_, err := tx.Exec(`
				WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
				INSERT INTO attendances (company, id, number, conversation, channel, contact, private, opened_at, opened_by, closed_at)
				SELECT a.company, `+tx.Dialect().Pick("randomblob(16)", "gen_random_uuid()")+`, n.i + 1, a.conversation, a.channel, a.contact, FALSE, a.opened_at - n.i, a.opened_by, a.opened_at
				FROM n CROSS JOIN attendances a
				WHERE a.company = $1`, w.A.ID, rows-1)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.A.Base()+"/attendances?format=csv", nil)
		if err != nil {
			t.Fatal(err)
		}
		w.A.Sign(r)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		var least, most uint64
		lines, body := 0, bufio.NewScanner(resp.Body)
		for ; body.Scan(); lines++ {
			if lines%20_000 == 5_000 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				if least == 0 {
					least = m.HeapAlloc
				}
				most = max(most, m.HeapAlloc)
			}
		}
		if body.Err() != nil || lines != rows+1 {
			t.Fatalf("%d lines, want %d: %v", lines, rows+1, body.Err())
		}
		if most > least+32<<20 {
			t.Errorf("the heap grew from %d to %d bytes", least, most)
		}
	})
}
