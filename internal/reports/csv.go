package reports

import "recado/internal/kernel"

// FigureRow is a row of the CSV of a report that has all its parts: the section, the subject of the row, and the figures.
type FigureRow struct {
	Section string     `json:"section"` // such as by_person
	ID      *kernel.ID `json:"id"`      // of the person, the sector, the channel, the label or the reason
	Name    string     `json:"name"`    // or the day, or from and to
	Figures
}

// PreviousRow is the row of the CSV of the period before.
type PreviousRow struct {
	From string `json:"from"`
	To   string `json:"to"`
	Figures
}

// HourRow is a row of the CSV of by_hour.
type HourRow struct {
	Weekday int64 `json:"weekday"` // 1 is Monday
	Hour    int64 `json:"hour"`
	Opened  int64 `json:"opened"`
}

// TargetRow is a row of the CSV of sla.
type TargetRow struct {
	Target string `json:"target"`
	TargetReport
}

// CSVRows returns the rows of a part of the report, or of all parts with figures if table is empty.
func (r Report) CSVRows(table string) any {
	switch table {
	case "totals":
		return []PreviousRow{{r.From, r.To, r.Totals}}
	case "previous":
		return []PreviousRow{{r.Previous.From, r.Previous.To, r.Previous.Totals}}
	case "by_day":
		return r.ByDay
	case "by_person":
		return r.ByPerson
	case "by_sector":
		return r.BySector
	case "by_channel":
		return r.ByChannel
	case "by_label":
		return r.ByLabel
	case "by_reason":
		return r.ByReason
	case "by_hour":
		rows := make([]HourRow, 0, 7*24)
		for weekday, hours := range r.ByHour {
			for hour, opened := range hours {
				rows = append(rows, HourRow{int64(weekday + 1), int64(hour), opened})
			}
		}
		return rows
	case "survey":
		return []SurveyReport{r.Survey}
	case "sla":
		return []TargetRow{{targetFirst, r.SLA.First}, {targetNext, r.SLA.Next}, {targetResolution, r.SLA.Resolution}}
	}
	return r.figureRows()
}

func (r Report) figureRows() []FigureRow {
	rows := []FigureRow{
		{"totals", nil, r.From + " " + r.To, r.Totals},
		{"previous", nil, r.Previous.From + " " + r.Previous.To, r.Previous.Totals},
	}
	add := func(section string, ref *kernel.Ref, f Figures) {
		row := FigureRow{Section: section, ID: kernel.RefID(ref), Figures: f}
		if ref != nil {
			row.Name = ref.Name
		}
		rows = append(rows, row)
	}
	for _, d := range r.ByDay {
		rows = append(rows, FigureRow{"by_day", nil, d.Date, d.Figures})
	}
	for _, p := range r.ByPerson {
		add("by_person", p.User, p.Figures)
	}
	for _, s := range r.BySector {
		add("by_sector", s.Sector, s.Figures)
	}
	for _, c := range r.ByChannel {
		add("by_channel", &c.Channel, c.Figures)
	}
	for _, l := range r.ByLabel {
		add("by_label", &l.Label, l.Figures)
	}
	for _, x := range r.ByReason {
		add("by_reason", x.Reason, x.Figures)
	}
	return rows
}
