package model

import "time"

// Hours are opening hours that a company, its channels and its sectors can name.
type Hours struct {
	ID         ID               `json:"id"`
	Name       string           `json:"name"`
	Timezone   string           `json:"timezone" doc:"IANA name of the time zone in which the times are meant." example:"America/Sao_Paulo"`
	Weekly     []WeeklyPeriod   `json:"weekly"`
	Exceptions []HoursException `json:"exceptions"`
	CreatedAt  time.Time        `json:"created_at"`
	UpdatedAt  time.Time        `json:"updated_at"`
}

// WeeklyPeriod is a time of the day on some days of the week.
type WeeklyPeriod struct {
	Days []string `json:"days" enum:"mon,tue,wed,thu,fri,sat,sun" minItems:"1" maxItems:"7"`
	From string   `json:"from" doc:"HH:MM" example:"08:00"`
	To   string   `json:"to" doc:"HH:MM, later than from; 24:00 is the end of the day." example:"12:00"`
}

// HoursException replaces the weekly periods on one date, or on that date of every year.
type HoursException struct {
	Date    string        `json:"date" doc:"A date such as 2026-12-24, or --12-25 for every year. A date beats the same day of every year." example:"2026-12-24"`
	Closed  bool          `json:"closed" required:"false" doc:"Closed all day."`
	Periods []HoursPeriod `json:"periods" required:"false" doc:"When it is open on that day instead; empty when it is closed."`
}

// HoursPeriod is a time of the day.
type HoursPeriod struct {
	From string `json:"from" example:"08:00"`
	To   string `json:"to" example:"12:00"`
}

// HoursStatus says whether opening hours are open at a time, and until when that holds.
type HoursStatus struct {
	Open       bool       `json:"open"`
	ClosesAt   *time.Time `json:"closes_at" doc:"When they close; null while they are closed, and where they do not close within nine years."`
	NextOpenAt *time.Time `json:"next_open_at" doc:"When they open again; null while they are open, and where they do not open within nine years."`
}

// Holiday is a public holiday of one year.
type Holiday struct {
	Date     string `json:"date" example:"2026-12-25"`
	Yearly   bool   `json:"yearly" doc:"It is on the same date every year; an exception can name it as --12-25."`
	Optional bool   `json:"optional" doc:"Many close on that day though the law does not make it a national holiday."`
	Key      string `json:"key" example:"christmas"`
	Name     string `json:"name" example:"Natal"`
}

// The limits of opening hours.
const (
	MaxHours           = 100 // of a company
	MaxHoursPeriods    = 50
	MaxHoursExceptions = 400
)
