package kernel

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Limits bound what one company may have and do at once, so that no company can slow another down.
// Counts are exact; streams, searches and uploads are counted on each node.
type Limits struct {
	Keys        int64 // API keys that are not revoked
	Members     int64 // of the team
	Invitations int64 // that are in the list, the accepted and expired ones included
	Sectors     int64
	Memberships int64 // of team members in sectors, in all
	Channels    int64 // public ones, and as many private ones
	Viewers     int64 // of private channels, in all
	Labels      int64
	Boards      int64 // archived ones included
	Stages      int64 // of one board

	Streams  int64 // open at once
	Searches int64 // running at once
	Uploads  int64 // running at once

	MediaBytes int64 // stored files, in bytes
}

// DefaultLimits are those of a server that is started without others.
var DefaultLimits = Limits{
	Keys: 500, Members: 1_000, Invitations: 1_000, Sectors: 200, Memberships: 10_000, Channels: 200, Viewers: 10_000, Labels: 1_000, Boards: 200, Stages: 50,
	Streams: 200, Searches: 4, Uploads: 8,
	MediaBytes: 50 << 30,
}

// NoLimits is for the operator's command line, which no limit binds.
var NoLimits = Limits{
	Keys: math.MaxInt64, Members: math.MaxInt64, Invitations: math.MaxInt64, Sectors: math.MaxInt64, Memberships: math.MaxInt64, Channels: math.MaxInt64, Viewers: math.MaxInt64,
	Labels: math.MaxInt64, Boards: math.MaxInt64, Stages: math.MaxInt64, Streams: math.MaxInt64, Searches: math.MaxInt64, Uploads: math.MaxInt64,
	MediaBytes: math.MaxInt64,
}

// maxCount is the largest count that ParseLimits accepts.
const maxCount = 1_000_000

// ParseLimits reads changes to the default limits, such as "keys=1000,boards=400". An empty text changes
// nothing. MediaBytes is not among them: see ParseSize.
func ParseLimits(text string) (Limits, error) {
	l := DefaultLimits
	names := map[string]*int64{
		"keys": &l.Keys, "members": &l.Members, "invitations": &l.Invitations, "sectors": &l.Sectors, "memberships": &l.Memberships, "channels": &l.Channels,
		"viewers": &l.Viewers, "labels": &l.Labels, "boards": &l.Boards, "stages": &l.Stages, "streams": &l.Streams, "searches": &l.Searches, "uploads": &l.Uploads,
	}
	if strings.TrimSpace(text) == "" {
		return l, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, number, found := strings.Cut(strings.TrimSpace(part), "=")
		limit := names[name]
		if !found || limit == nil {
			return l, fmt.Errorf("%q is not of the form name=number with one of the names keys, members, invitations, sectors, memberships, channels, viewers, labels, boards, stages, streams, searches, uploads", part)
		}
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 0 || n > maxCount {
			return l, fmt.Errorf("%s must be a number from 0 to %d, not %q", name, maxCount, number)
		}
		*limit = n
	}
	return l, nil
}

// ParseSize reads a number of bytes with a unit, such as 50GiB or 500MB, or without one.
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

// SizeText is a number of bytes for people: in the largest binary unit that divides it.
func SizeText(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for n != 0 && n%1024 == 0 && i < len(units)-1 {
		n /= 1024
		i++
	}
	return strconv.FormatInt(n, 10) + " " + units[i]
}

// LimitReached is the refusal of one more than limit of what, a plural such as "labels".
func LimitReached(what string, limit int64) *Error {
	return Errorf(CodeLimitReached, "The limit of %d %s is reached.", limit, what)
}
