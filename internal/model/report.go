package model

// Report answers GET /reports/attendance. Days are those of the company's time zone.
type Report struct {
	From     string         `json:"from" format:"date"`
	To       string         `json:"to" format:"date"`
	Timezone string         `json:"timezone"`
	Totals   Figures        `json:"totals"`
	ByPerson []PersonReport `json:"by_person"`
	BySector []SectorReport `json:"by_sector"`
	ByDay    []DayReport    `json:"by_day"`
}

// Figures are the numbers of one line of a report.
type Figures struct {
	Opened        int64 `json:"opened" doc:"Attendances opened, by the day of opening."`
	Closed        int64 `json:"closed" doc:"Attendances closed, by the day of closing."`
	FirstResponse Times `json:"first_response" doc:"By the day of the response."`
	Resolution    Times `json:"resolution" doc:"By the day of closing."`
}

// Times summarises durations. Count and average are exact; the median and the 90th percentile come
// from a sketch. All but the count are null when there is nothing to summarise.
type Times struct {
	Count          int64    `json:"count"`
	AverageSeconds *float64 `json:"average_seconds"`
	MedianSeconds  *float64 `json:"median_seconds"`
	P90Seconds     *float64 `json:"p90_seconds"`
}

// PersonReport is the line of one responsible person; user is null for attendances without one.
type PersonReport struct {
	User *Ref `json:"user"`
	Figures
}

// SectorReport is the line of one sector; sector is null for attendances without one.
type SectorReport struct {
	Sector *Ref `json:"sector"`
	Figures
}

// DayReport is the line of one day.
type DayReport struct {
	Date string `json:"date" format:"date"`
	Figures
}
