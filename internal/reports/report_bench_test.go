package reports

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/test/kerneltest"
)

// A report of 30 days and 20 members must not cost much more if each of them has a hundred times as many attendances.
func BenchmarkReport(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, entries := range []int{16, 1600} {
			b.Run(fmt.Sprintf("%s, %d entries a line", engine, entries), func(b *testing.B) { benchmarkReport(b, engine, entries) })
		}
	}
}

func benchmarkReport(b *testing.B, engine string, entries int) {
	options := db.Options{Dir: b.TempDir()}
	if engine == "postgres" {
		options = db.Options{DatabaseURL: kerneltest.URL(b)}
	}
	d := newDesk(kerneltest.Open(b, options))
	principal := testCompany(b, d)
	fillReport(b, d.Reports, principal.Company, entries)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.AttendanceReport(b.Context(), principal, ReportFilter{}); err != nil {
			b.Fatal(err)
		}
	}
}

func fillReport(b *testing.B, d *Reports, company kernel.Company, entries int) {
	random := rand.New(rand.NewPCG(1, 1))
	err := d.Store.Write(b.Context(), func(tx *kernel.Tx) error {
		zone, err := people.Zone(tx, company.ID)
		if err != nil {
			return err
		}
		today := kernel.DateOf(tx.Now, zone)
		sectors := []kernel.ID{kernel.NewID(), kernel.NewID()}
		for person := range 20 {
			member := kernel.NewID()
			for day := range 30 {
				var t Tally
				for range entries {
					t.Opened++
					t.Answers.Add(int64(180 * math.Exp(1.3*random.NormFloat64())))
					t.Closings.Add(int64(7200 * math.Exp(1.3*random.NormFloat64())))
				}
				setReportLine(tx,
					ReportLine{Company: company.ID, Day: today.AddDays(-day).Number(), Member: member, Sector: sectors[person%2]},
					ReportCounts{
						Opened: t.Opened, Answered: t.Answers.Count, AnswerSeconds: t.Answers.Seconds, AnswerSketch: t.Answers.Sketch.Encode(),
						Closed: t.Closings.Count, CloseSeconds: t.Closings.Seconds, CloseSketch: t.Closings.Sketch.Encode(),
					})
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
