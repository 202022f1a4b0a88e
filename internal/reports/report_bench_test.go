package reports

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
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

// benchLines are the lines of one member and day, with the part of the attendances that each has.
var benchLines = func() (lines []struct {
	kind, key string
	share     int
},
) {
	add := func(kind string, keys, share int) {
		for i := range keys {
			lines = append(lines, struct {
				kind, key string
				share     int
			}{kind, benchKeys[i%8].String(), share})
			if kind == kindHour {
				lines[len(lines)-1].key = strconv.Itoa(8 + i)
			}
		}
	}
	add(kindChannel, 2, 2)
	add(kindReason, 8, 8)
	add(kindLabel, 8, 8)
	add(kindHour, 10, 10)
	return lines
}()

var benchKeys = func() (keys [8]kernel.ID) {
	for i := range keys {
		keys[i] = kernel.NewID()
	}
	return keys
}()

func fillReport(b *testing.B, d *Reports, company kernel.Company, entries int) {
	random := rand.New(rand.NewPCG(1, 1))
	sectors := []kernel.ID{kernel.NewID(), kernel.NewID()}
	for person := range 20 {
		err := d.Store.Write(b.Context(), func(tx *kernel.Tx) error {
			zone, err := people.Zone(tx, company.ID)
			if err != nil {
				return err
			}
			today, member := kernel.DateOf(tx.Now, zone), kernel.NewID()
			for day := range 60 { // a month, and the month before
				for _, l := range benchLines {
					t := &lineTally{}
					for range max(1, entries/l.share) {
						t.opened++
						if l.kind != kindHour {
							t.answers = append(t.answers, int64(180*math.Exp(1.3*random.NormFloat64())))
							t.closings = append(t.closings, int64(7200*math.Exp(1.3*random.NormFloat64())))
						}
					}
					setReportLine(tx, ReportLine{
						Company: company.ID, Kind: l.kind, Day: today.AddDays(-day).Number(), Member: member, Sector: sectors[person%2], Key: l.key,
					}, t.counts())
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
