package httpserver

import (
	"context"
	"strconv"

	"recado/internal/kernel"
)

// VersionTag returns the ETag of a version.
func VersionTag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// AtVersion is the header with the version that a change is based on.
type AtVersion struct {
	IfMatch string `header:"If-Match" doc:"The version the change is based on, as returned in the ETag." example:"\"7\""`
}

// Version returns the version that a change is based on, or 0 if there is none; see kernel.ChangeVersion.
func (AtVersion) Version(ctx context.Context, body *int64) (int64, error) {
	version, err := kernel.ChangeVersion(callFrom(ctx).request.Header["If-Match"], body)
	if err != nil { // a nil *kernel.Error is not a nil error
		return 0, err
	}
	return version, nil
}
