package desk

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"recado/internal/model"
	"recado/internal/store"
	"recado/internal/store/storetest"
)

// A report of 30 days and 20 people must not cost much more where each of them had a hundred times the work.
func BenchmarkReport(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, entries := range []int{16, 1600} {
			b.Run(fmt.Sprintf("%s, %d entries a line", engine, entries), func(b *testing.B) { benchmarkReport(b, engine, entries) })
		}
	}
}

func benchmarkReport(b *testing.B, engine string, entries int) {
	options := store.Options{Dir: b.TempDir()}
	if engine == "postgres" {
		options = store.Options{DatabaseURL: storetest.URL(b)}
	}
	d := New(Options{Store: storetest.Open(b, options)})
	principal := testCompany(b, d)
	fillReport(b, d, principal.Company, entries)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.AttendanceReport(b.Context(), principal, ReportFilter{}); err != nil {
			b.Fatal(err)
		}
	}
}

func fillReport(b *testing.B, d *Desk, company model.Company, entries int) {
	random := rand.New(rand.NewPCG(1, 1))
	err := d.store.Write(b.Context(), func(tx *store.Tx) error {
		zone, err := tx.Zone(company.ID)
		if err != nil {
			return err
		}
		today := model.DateOf(tx.Now, zone)
		sectors := []model.ID{model.NewID(), model.NewID()}
		for person := range 20 {
			member := model.NewID()
			for day := range 30 {
				var t model.Tally
				for range entries {
					t.Opened++
					t.Closed++
					t.Answers.Add(int64(180 * math.Exp(1.3*random.NormFloat64())))
					t.Closings.Add(int64(7200 * math.Exp(1.3*random.NormFloat64())))
				}
				tx.SetReportLine(
					store.ReportLine{Company: company.ID, Day: today.AddDays(-day).Number(), Member: member, Sector: sectors[person%2]},
					store.ReportCounts{
						Opened: t.Opened, Answered: t.Answers.Count, AnswerSeconds: t.Answers.Seconds, AnswerSketch: t.Answers.Sketch.Encode(),
						Closed: t.Closed, CloseSeconds: t.Closings.Seconds, CloseSketch: t.Closings.Sketch.Encode(),
					})
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
