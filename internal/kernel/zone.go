package kernel

import (
	"strings"
	"sync"
	"time"
	_ "time/tzdata"
)

// LoadZone finds a time zone by its IANA name. An error names the field.
func LoadZone(field, name string) (*time.Location, *Error) {
	if loc, ok := zones.Load(name); ok {
		return loc.(*time.Location), nil
	}
	if plausibleZone(name) {
		if loc, err := time.LoadLocation(name); err == nil {
			zones.Store(name, loc)
			return loc, nil
		}
	}
	return nil, Invalid(field, RuleMalformed, "there is no time zone "+Quoted(name)+"; give an IANA name such as America/Sao_Paulo.", Params{"format": "time_zone"})
}

// zones holds what was found: reading a zone costs more than most requests do besides.
var zones sync.Map

// plausibleZone refuses what must not reach the file system, and names that mean something else from one
// machine to the next.
func plausibleZone(name string) bool {
	if name == "" || len(name) > 64 || strings.Contains(name, "//") || strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") {
		return false
	}
	for i := range len(name) {
		if c := name[i]; !IsAlphanumeric(c) && c != '/' && c != '_' && c != '+' && c != '-' {
			return false
		}
	}
	switch name {
	case "Local", "localtime", "posixrules", "Factory":
		return false
	}
	return !strings.HasPrefix(name, "posix/") && !strings.HasPrefix(name, "right/")
}
