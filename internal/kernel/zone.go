package kernel

import (
	"regexp"
	"sync"
	"time"
	_ "time/tzdata"
)

// LoadZone returns the time zone with an IANA name.
func LoadZone(field, name string) (*time.Location, *Error) {
	if loc, ok := zones.Load(name); ok {
		return loc.(*time.Location), nil
	}
	if len(name) <= 64 && zoneForm.MatchString(name) && !zoneExcluded.MatchString(name) {
		if loc, err := time.LoadLocation(name); err == nil {
			zones.Store(name, loc)
			return loc, nil
		}
	}
	return nil, Invalid(field, RuleMalformed,
		"there is no time zone "+Quoted(name)+"; give an IANA name such as America/Sao_Paulo.", Params{"format": "time_zone"})
}

// zones caches time zones, because loading one is slower than most requests.
var zones sync.Map

var (
	zoneForm = regexp.MustCompile(`^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*$`)
	// zoneExcluded matches names whose meaning depends on the machine.
	zoneExcluded = regexp.MustCompile(`^(Local|localtime|posixrules|Factory|(posix|right)/.*)$`)
)
