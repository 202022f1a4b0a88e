package httpserver

import (
	"context"
	"strconv"

	"recado/internal/kernel"
)

// VersionTag is the entity tag of a version.
func VersionTag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// AtVersion is the header by which a change says what it is based on.
type AtVersion struct {
	IfMatch string `header:"If-Match" doc:"The version that the change is based on, as in its ETag." example:"\"7\""`
}

// Version settles which version a change is based on; 0 when the caller named none.
func (AtVersion) Version(ctx context.Context, body *int64) (int64, error) {
	version, err := kernel.ChangeVersion(callFrom(ctx).request.Header["If-Match"], body)
	if err != nil {
		return 0, err
	}
	return version, nil
}
