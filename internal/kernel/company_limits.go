package kernel

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Limit names a limit on what each company may have or run at once.
type Limit string

// Limits contains the limits that differ from their defaults.
type Limits map[Limit]int64

// NoLimits lifts all limits, for the operator's command line.
var NoLimits = Limits{anyLimit: math.MaxInt64}

const (
	anyLimit Limit = "any"

	maxLimit = 1_000_000 // the largest number that ParseLimits accepts
)

var (
	defaultLimits = Limits{}
	countLimits   []string // the names that ParseLimits accepts
)

// RegisterLimit adds a limit and its default. Call it at start-up, before the first request.
func RegisterLimit(name Limit, n int64) Limit {
	countLimits = append(countLimits, string(name))
	return RegisterSizeLimit(name, n)
}

// RegisterSizeLimit is RegisterLimit for a number of bytes, which ParseLimits does not accept.
func RegisterSizeLimit(name Limit, n int64) Limit {
	defaultLimits[name] = n
	return name
}

// LimitSearches is the number of searches that a company may run at once on a node.
var LimitSearches = RegisterLimit("searches", 4)

// Limit returns the value of a limit.
func (d *Kernel) Limit(name Limit) int64 {
	for _, key := range []Limit{name, anyLimit} {
		if n, found := d.limits[key]; found {
			return n
		}
	}
	return defaultLimits[name]
}

// ParseLimits parses limits in the form "keys=1000,boards=400". The text may be empty.
func ParseLimits(text string) (Limits, error) {
	l := Limits{}
	if strings.TrimSpace(text) == "" {
		return l, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, number, found := strings.Cut(strings.TrimSpace(part), "=")
		if !found || !slices.Contains(countLimits, name) {
			return nil, fmt.Errorf("%q is not of the form name=number with one of the names %s",
				part, strings.Join(countLimits, ", "))
		}
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 0 || n > maxLimit {
			return nil, fmt.Errorf("%s must be a number from 0 to %d, not %q", name, maxLimit, number)
		}
		l[Limit(name)] = n
	}
	return l, nil
}

// ParseSize parses a number of bytes with an optional unit, such as 50GiB or 500MB.
func ParseSize(text string) (int64, error) {
	number := strings.TrimRight(text, "KMGTPiB")
	units := map[string]int64{
		"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40, "PiB": 1 << 50,
		"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15,
	}
	unit, known := units[text[len(number):]]
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if !known || err != nil || n < 0 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("%q is not a size such as 50GiB", text)
	}
	return n * unit, nil
}

// SizeText formats a number of bytes in the largest binary unit that divides it.
func SizeText(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for n != 0 && n%1024 == 0 && i < len(units)-1 {
		n /= 1024
		i++
	}
	return strconv.FormatInt(n, 10) + " " + units[i]
}

// LimitReached returns the error for exceeding a limit. what is a plural such as "labels".
func LimitReached(what string, limit int64) *Error {
	return Errorf(CodeLimitReached, "The limit of %d %s has been reached.", limit, what)
}
