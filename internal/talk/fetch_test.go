package talk

import (
	"testing"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/jobs"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/test/kerneltest"
)

func TestFilesOfLinkedNumbersAreFetchedWhereTheyAreConnected(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		d, id := o.nodes[0], kernel.NewID()
		ch := channels.Channel{ID: id, Company: o.company.ID, Name: "Shop", Phone: new("+551132345678"), Provider: channels.ProviderLinked}
		o.insertChannel(t, ch)
		var file kernel.ID
		o.tx(t, func(tx *kernel.Tx) error {
			file = d.inboundBatch(tx, ch).awaitedMedia(&provider.IncomingMessage{Media: &provider.IncomingMedia{}}).ID
			return nil
		})
		loop := &FetchLoop{Desk: d, Provider: &channels.Providers{WhatsApp: &channels.WhatsApp{Desk: d.channels}}, Logger: d.Log}
		claim := func() []Fetch {
			t.Helper()
			claimed, err := loop.Step(t.Context(), jobs.Step[struct{}]{Limit: fetchAtOnce})
			if err != nil {
				t.Fatal(err)
			}
			return claimed.Jobs
		}
		exec := func(statement string, args ...any) {
			t.Helper()
			o.tx(t, func(tx *kernel.Tx) error {
				_, err := tx.Exec(statement, append([]any{o.company.ID, file}, args...)...)
				return err
			})
		}
		// row returns how often the file was tried, and in how long it is tried again.
		row := func() (tries int64, wait *time.Duration) {
			t.Helper()
			kerneltest.Read(t, d.Store, func(tx *kernel.Tx) error {
				_, err := tx.One(`SELECT fetch_tries, fetch_at FROM media WHERE company = $1 AND id = $2`, []any{o.company.ID, file}, func(r db.Row) {
					tries, wait = r.Int("fetch_tries"), nil
					if at := r.NullTime("fetch_at"); at != nil {
						wait = new(at.Sub(tx.Now))
					}
				})
				return err
			})
			return tries, wait
		}

		if got := claim(); len(got) > 0 {
			t.Errorf("a file of a number that is connected to another node is claimed: %v", got)
		}

		o.tx(t, func(tx *kernel.Tx) error {
			channels.SetChannelStatus(tx, o.company.ID, id, channels.ChannelDisconnected, nil)
			return nil
		})
		exec(`UPDATE media SET fetch_tries = 9 WHERE company = $1 AND id = $2`)
		for _, job := range claim() {
			if _, _, err := loop.Attempt(t.Context(), jobs.Held{}, job); err != nil {
				t.Fatal(err)
			}
		}
		if tries, wait := row(); tries != 10 || wait == nil || *wait < fetchLongest-time.Minute {
			t.Errorf("without a link the file was tried %d times and is tried again in %v", tries, wait)
		}

		o.tx(t, func(tx *kernel.Tx) error {
			d.sendAgain(tx, &ch)
			return nil
		})
		if _, wait := row(); wait == nil || *wait > 0 {
			t.Errorf("after linking again the file is fetched in %v", wait)
		}

		exec(`UPDATE media SET created_at = $3 WHERE company = $1 AND id = $2`, time.Now().Add(-fetchFor))
		for _, job := range claim() {
			if _, _, err := loop.Attempt(t.Context(), jobs.Held{}, job); err != nil {
				t.Fatal(err)
			}
		}
		if _, wait := row(); wait == nil {
			t.Error("a week later the file is given up, although the number may be linked again")
		}

		o.tx(t, func(tx *kernel.Tx) error {
			tx.Later(`UPDATE channels SET archived_at = $3 WHERE company = $1 AND id = $2`, o.company.ID, id, tx.Now)
			return nil
		})
		exec(`UPDATE media SET fetch_at = $3 WHERE company = $1 AND id = $2`, time.Now())
		for _, job := range claim() {
			if _, _, err := loop.Attempt(t.Context(), jobs.Held{}, job); err != nil {
				t.Fatal(err)
			}
		}
		if _, wait := row(); wait != nil {
			t.Errorf("the file of a removed number is tried again in %v", wait)
		}
	})
}

func TestTheRetentionOfAFileCountsFromTheDateOfItsMessage(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		d, now := o.nodes[0], time.Now()
		err := d.Receive(t.Context(), o.company.ID, o.channel, []provider.Incoming{{Message: &provider.IncomingMessage{
			ExternalID: "old", Type: provider.TypeImage, At: now.Add(-40 * 24 * time.Hour), History: true, Customer: provider.Person{Phone: "+5511987650001"},
			Media: &provider.IncomingMedia{ProviderID: "1", MimeType: "image/png"},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		o.tx(t, func(tx *kernel.Tx) error {
			due, err := dueFetches(tx, nil, 10)
			if err != nil || len(due) != 1 {
				t.Fatalf("got %d files to fetch, want 1: %v", len(due), err)
			}
			_, err = d.mediaFetched(tx, &due[0].Media, [32]byte{})
			return err
		})
		kerneltest.Read(t, d.Store, func(tx *kernel.Tx) error {
			before := now.Add(-30 * 24 * time.Hour)
			n, err := CountExpired(tx, o.company.ID, nil, &before)
			if n.Files != 1 {
				t.Errorf("got %d expired files, want 1", n.Files)
			}
			return err
		})
	})
}
