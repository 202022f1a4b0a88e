package httpserver

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/kernel"
)

const (
	headerIdempotencyKey = "Idempotency-Key"
	headerReplayed       = "Idempotency-Replayed"
)

// Replayed returns the value of the header Idempotency-Replayed.
func Replayed(replayed bool) string {
	if replayed {
		return "true"
	}
	return ""
}

// OnStep sets a function that is called after each step of calls with an Idempotency-Key, for tests; see kernel.OnceRequest.
func (s *Server) OnStep(after func(step string)) { s.steps.Store(&after) }

func (s *Server) afterStep(step string) {
	if after := s.steps.Load(); after != nil {
		(*after)(step)
	}
}

// takesKey reports whether the operation accepts an Idempotency-Key: every POST that needs a key or a session.
func (r *Route) takesKey() bool { return r.Method == http.MethodPost && !r.Open }

// runOnce makes a call with an Idempotency-Key. The stored response contains no secrets.
func (h handler[I, O]) runOnce(ctx context.Context, s *Server, r *Route, in *I) (*O, error) {
	c := callFrom(ctx)
	key, invalid := kernel.IdempotencyKey(c.request.Header[headerIdempotencyKey])
	if invalid != nil {
		if !r.KeyRequired {
			invalid.Code = kernel.CodeIdempotencyInvalid // also for an empty header
		}
		return nil, s.problem(c.requestID, invalid)
	}
	request := kernel.OnceRequest{
		Key: key, Fingerprint: c.fingerprint, Reserve: r.reserves,
		Success: func(result any) (kernel.Answer, error) {
			out, err := shapeOf[O](c, result)
			if err != nil {
				return kernel.Answer{}, err
			}
			return storedAnswer(r, c, out)
		},
		Refusal: func(err error) (kernel.Answer, bool) { return s.refusal(r, c, err) },
		After:   s.afterStep,
	}
	var output *O
	result, err := s.options.Once(ctx, c.principal, request, func(ctx context.Context) (any, error) {
		out, err := h(ctx, c.principal, in)
		if err == nil {
			output = out
		}
		return out, err
	})
	switch {
	case output != nil:
		if err != nil {
			s.log.Error("cannot store the response for an idempotency key",
				slog.String("request_id", c.requestID), slog.Any("error", err))
		}
		return output, nil
	case err != nil:
		return nil, s.problem(c.requestID, err)
	}
	return nil, &stored{result}
}

// Shaped sets the function that converts the result of the verb's transaction to the output of the operation, and returns it.
// Calls with an Idempotency-Key need it to store the response in the transaction. Without it, the result is the body.
// The output need not contain secrets, because they are not stored.
func Shaped[T, O any](ctx context.Context, convert func(result *T) *O) func(result *T) *O {
	callFrom(ctx).shape = func(result any) any {
		if r, ok := result.(*T); ok {
			return convert(r)
		}
		return nil
	}
	return convert
}

// shapeOf returns the output of an operation for the result of its handler or of its verb's transaction.
func shapeOf[O any](c *call, result any) (*O, error) {
	if out, ok := result.(*O); ok {
		return out, nil
	}
	if c.shape != nil {
		if out, ok := c.shape(result).(*O); ok {
			return out, nil
		}
		return nil, fmt.Errorf("httpserver: cannot convert a %T to the output of the operation", result)
	}
	out := new(O)
	body, value := reflect.ValueOf(out).Elem().FieldByName("Body"), reflect.ValueOf(result)
	switch {
	case !body.IsValid(): // there is no body
	case value.Type() == body.Type():
		body.Set(value)
	case value.Elem().Type() == body.Type():
		body.Set(value.Elem())
	default:
		return nil, fmt.Errorf("httpserver: the body of the response is a %s and not a %T", body.Type(), result)
	}
	return out, nil
}

// storedAnswer returns the response to store for an output, without secrets.
func storedAnswer(r *Route, c *call, out any) (a kernel.Answer, err error) {
	a.Subject = r.subjectOf(c, out)
	a.Status = cmp.Or(r.status, http.StatusOK)
	v := reflect.ValueOf(out).Elem()
	for i := range v.NumField() {
		field := v.Type().Field(i)
		header := field.Tag.Get("header")
		switch {
		case header != "" && v.Field(i).String() != "":
			a.Headers += header + ": " + v.Field(i).String() + "\n"
		case field.Name == "Status":
			a.Status = int(v.Field(i).Int())
		case field.Name == "Body":
			if a.Body, err = kernel.EncodeJSON(v.Field(i).Interface()); err == nil && len(r.secrets) > 0 {
				a.Body, err = withoutFields(a.Body, r.secrets)
			}
		}
	}
	return a, err
}

// withoutFields sets fields of a JSON object to null.
func withoutFields(object []byte, names []string) ([]byte, error) {
	var out bytes.Buffer
	from, to := jsontext.NewDecoder(bytes.NewReader(object)), jsontext.NewEncoder(&out, jsontext.EscapeForHTML(false))
	token, err := from.ReadToken() // the brace
	for ; err == nil && token.Kind() != '}'; token, err = from.ReadToken() {
		hidden := token.Kind() == '"' && slices.Contains(names, token.String())
		if err := to.WriteToken(token); err != nil {
			return nil, err
		}
		if token.Kind() == '{' {
			continue
		}
		value, err := from.ReadValue()
		if err != nil {
			return nil, err
		}
		if hidden {
			value = jsontext.Value("null")
		}
		if err := to.WriteValue(value); err != nil {
			return nil, err
		}
	}
	if err == nil {
		err = to.WriteToken(token)
	}
	return bytes.TrimSpace(out.Bytes()), err
}

// stored is a stored response. It is an error because huma lets only errors set the status, headers and bytes.
type stored struct{ kernel.OnceResult }

func (a *stored) Error() string { return "httpserver: a stored response" }

func (a *stored) GetStatus() int { return a.Answer.Status }

func (a *stored) GetHeaders() http.Header {
	h := http.Header{}
	for line := range strings.Lines(a.Answer.Headers) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			h[name] = []string{value}
		}
	}
	if a.Replayed {
		h[headerReplayed] = []string{"true"}
	}
	return h
}

// refusal returns the response to store for an error, and false if the error is not stored. 404 and 409 are stored, but not for
// uploads, which may fail before the file is read.
func (s *Server) refusal(r *Route, c *call, err error) (kernel.Answer, bool) {
	var known *kernel.Error
	if r.Streams || !errors.As(err, &known) {
		return kernel.Answer{}, false
	}
	status := errorCodes[known.Code].status
	if status != http.StatusNotFound && status != http.StatusConflict {
		return kernel.Answer{}, false
	}
	body, failed := kernel.EncodeJSON(s.problem(c.requestID, err))
	a := kernel.Answer{Status: status, Body: body}
	if status != http.StatusNotFound { // 404 reveals nothing
		a.Subject = r.subjectOf(c, nil)
	}
	return a, failed == nil
}

// subjectOf returns the subject of a response: that of its output, or that of the path. out is nil for an error.
func (r *Route) subjectOf(c *call, out any) kernel.Subject {
	for _, v := range []any{out, bodyOf(out)} {
		if noun, ok := v.(interface{ Subject() kernel.Subject }); ok {
			return noun.Subject()
		}
	}
	if id, ok := kernel.ParseID(c.request.PathValue("id")); ok && r.subject != "" {
		return kernel.Subject{Kind: r.subject, ID: id}
	}
	return kernel.Subject{}
}

// bodyOf returns a pointer to the body of an output, or nil.
func bodyOf(out any) any {
	v := reflect.ValueOf(out)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return nil
	}
	body := v.Elem().FieldByName("Body")
	switch {
	case !body.IsValid() || body.Kind() == reflect.Pointer && body.IsNil():
		return nil
	case body.Kind() == reflect.Pointer:
		return body.Interface()
	}
	return body.Addr().Interface()
}

// fingerprint identifies a call by its method, path, query and body, or the name and content of an upload. It is keyed because
// it is stored, and a plain hash would allow guessing a password in the body.
func (c *call) fingerprint() ([32]byte, error) {
	if c.route.Streams {
		if err := c.readUpload(); err != nil {
			return [32]byte{}, err
		}
	}
	h := hmac.New(sha256.New, c.server.options.FingerprintKey[:])
	u := c.request.URL
	for _, part := range []string{c.request.Method, strings.TrimPrefix(u.EscapedPath(), c.server.base), u.RawQuery} {
		_, _ = io.WriteString(h, part+"\n") // no part can contain a line break
	}
	if c.body != nil {
		h.Write(c.body.Sum(nil))
	}
	return [32]byte(h.Sum(nil)), nil
}

// hashBody computes the hash of the body while huma reads it.
func hashBody(ctx huma.Context, next func(huma.Context)) {
	r, _ := humago.Unwrap(ctx)
	if r.Header[headerIdempotencyKey] == nil {
		next(ctx)
		return
	}
	c := callFrom(r.Context())
	c.body = sha256.New()
	r.Body = io.NopCloser(io.TeeReader(r.Body, c.body))
	next(ctx)
}

// documentKey adds the header to the documentation of an operation.
func (r *Route) documentKey(op *huma.Operation) {
	minLength, maxLength := kernel.MinIdempotencyKey, kernel.MaxIdempotencyKey
	pending := "a retry waits for a request that is in progress, and an interrupted request can be retried."
	if r.reserves {
		pending = "if the first request is in progress or was interrupted, a retry returns 409 idempotency_pending."
	}
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: headerIdempotencyKey, In: "header", Required: r.KeyRequired,
		Description: "A unique key chosen by the caller for each operation. For seven days, repeating the request with the same key returns the same response, " +
			"with Idempotency-Replayed: true and without secrets, or 404 if the caller can no longer see the resource. A different request with the same key returns 409 idempotency_conflict; " + pending,
		Schema: &huma.Schema{Type: huma.TypeString, MinLength: &minLength, MaxLength: &maxLength},
	})
}
