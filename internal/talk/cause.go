package talk

import (
	"maps"
	"slices"
	"strings"

	"recado/internal/kernel"
)

// Cause is why the server changed or closed a case by itself.
type Cause struct {
	Code   string        `json:"code" example:"menu_choice"`
	Params kernel.Params `json:"params" doc:"menu_choice has path: the titles that the customer chose."`
}

var (
	causes       = map[string]string{CloseReasonAutomatic: "idle"} // codes by the text of the reason
	causesOfPath = map[string]string{}                             // codes by the prefix of the reason
)

// RegisterCause sets the code of a reason that the server stores, and returns the reason. It is called at start-up.
func RegisterCause(reason, code string) string {
	causes[reason] = code
	return reason
}

// RegisterPathCause is RegisterCause for reasons that begin with a prefix, followed by a path.
func RegisterPathCause(prefix, code string) string {
	causesOfPath[prefix] = code
	return prefix
}

// CauseCodes lists the codes of causes.
func CauseCodes() []string {
	codes := slices.AppendSeq(slices.Collect(maps.Values(causes)), maps.Values(causesOfPath))
	slices.Sort(codes)
	return codes
}

// CauseOf returns the cause of a reason that no person gave, or nil.
func CauseOf(by *kernel.Ref, reason *string) *Cause {
	if by != nil || reason == nil {
		return nil
	}
	if code, known := causes[*reason]; known {
		return &Cause{code, kernel.Params{}}
	}
	for prefix, code := range causesOfPath {
		if path, found := strings.CutPrefix(*reason, prefix); found {
			return &Cause{code, kernel.Params{"path": path}}
		}
	}
	return nil
}
