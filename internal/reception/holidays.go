package reception

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Brazil returns the national holidays of Brazil in a year, and other days on which many businesses are closed, in the order of
// their dates.
func Brazil(year int) []Holiday {
	easter := Easter(year)
	out := []Holiday{}
	yearly := func(month time.Month, day int, key, name string) {
		out = append(out, Holiday{Date: fmt.Sprintf("%04d-%02d-%02d", year, month, day), Yearly: true, Key: key, Name: name})
	}
	movable := func(days int, optional bool, key, name string) {
		out = append(out, Holiday{Date: easter.AddDate(0, 0, days).Format(time.DateOnly), Optional: optional, Key: key, Name: name})
	}
	yearly(time.January, 1, "new_year", "Confraternização Universal")
	movable(-48, true, "carnival_monday", "Carnaval (segunda-feira)")
	movable(-47, true, "carnival_tuesday", "Carnaval (terça-feira)")
	movable(-2, false, "good_friday", "Sexta-feira Santa")
	yearly(time.April, 21, "tiradentes", "Tiradentes")
	yearly(time.May, 1, "labour_day", "Dia do Trabalho")
	movable(60, true, "corpus_christi", "Corpus Christi")
	yearly(time.September, 7, "independence", "Independência do Brasil")
	yearly(time.October, 12, "our_lady_of_aparecida", "Nossa Senhora Aparecida")
	yearly(time.November, 2, "all_souls", "Finados")
	yearly(time.November, 15, "republic", "Proclamação da República")
	if year >= 2024 {
		yearly(time.November, 20, "black_awareness", "Dia Nacional de Zumbi e da Consciência Negra")
	}
	yearly(time.December, 25, "christmas", "Natal")
	slices.SortFunc(out, func(a, b Holiday) int { return cmp.Compare(a.Date, b.Date) })
	return out
}

// Easter returns Easter Sunday of a year by the Meeus/Jones/Butcher algorithm.
func Easter(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	d, e := b/4, b%4
	g := (8*b + 13) / 25
	h := (19*a + b - d - g + 15) % 30
	i, k := c/4, c%4
	l := (32 + 2*e + 2*i - h - k) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return time.Date(year, time.Month(n/31), n%31+1, 0, 0, 0, 0, time.UTC)
}
