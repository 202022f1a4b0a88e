package input

import (
	"io"
	"mime"
	"net/http"

	"recado/internal/model"
)

// CheckContentType refuses a body that is not declared as JSON, after one that is too large. Case
// does not matter in HTTP, but it does to huma, so the type is written as huma looks for it.
func CheckContentType(r *http.Request) *model.Error {
	const plain = "application/json"
	if given := r.Header.Get("Content-Type"); given == plain {
		return nil
	} else if kind, _, _ := mime.ParseMediaType(given); kind == plain {
		r.Header.Set("Content-Type", plain)
		return nil
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r.Body, model.MaxBody+1))
	switch {
	case n > model.MaxBody:
		return ErrBodyTooLarge()
	case n > 0:
		return model.Invalid("header.Content-Type", "must be application/json")
	case err != nil:
		return errBodyCut()
	}
	return nil
}

func errBodyCut() *model.Error {
	return model.Errorf(model.CodeInvalidRequest, "The request body ended early. Send it again.")
}

// BodyTooLarge reads the body of a request that is refused anyway: the size comes first among the errors.
func BodyTooLarge(r *http.Request) bool {
	n, _ := io.Copy(io.Discard, io.LimitReader(r.Body, model.MaxBody+1))
	return n > model.MaxBody
}

// CheckNoBody holds the bodies of operations that take none to the same rules: an absent one or {}.
func CheckNoBody(r *http.Request) *model.Error {
	body, err := io.ReadAll(io.LimitReader(r.Body, model.MaxBody+1))
	switch {
	case len(body) > model.MaxBody:
		return ErrBodyTooLarge()
	case err != nil:
		return errBodyCut()
	case len(body) == 0:
		return nil
	}
	if fault := UnmarshalJSON(body, new(any)); fault != nil {
		return formError("", []error{fault})
	}
	if fault := UnmarshalJSON(body, new(struct{})); fault != nil {
		return formError("", []error{fault})
	}
	return nil
}

// ErrBodyTooLarge refuses a body that is larger than the API takes.
func ErrBodyTooLarge() *model.Error {
	return model.Errorf(model.CodeBodyTooLarge, "The request body is larger than %d KiB. Send a smaller one.", model.MaxBody/1024)
}
