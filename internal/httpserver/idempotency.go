package httpserver

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
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

// OnStep has a function called after each step of the calls under an Idempotency-Key, for tests that end a call between two
// steps; see kernel.OnceRequest.
func (s *Server) OnStep(after func(step string)) { s.steps.Store(&after) }

func (s *Server) afterStep(step string) {
	if after := s.steps.Load(); after != nil {
		(*after)(step)
	}
}

// takesKey reports whether a caller may make the operation once with an Idempotency-Key: every POST of a key or a
// session. Visitors have no keys of their own.
func (r *Route) takesKey() bool { return r.Method == http.MethodPost && !r.Open }

// runOnce makes a call under an Idempotency-Key. What is stored has no secrets.
func (h handler[I, O]) runOnce(ctx context.Context, s *Server, r *Route, in *I) (*O, error) {
	c := callFrom(ctx)
	key, invalid := kernel.IdempotencyKey(c.request.Header[headerIdempotencyKey])
	if invalid != nil {
		if !r.KeyRequired {
			invalid.Code = kernel.CodeIdempotencyInvalid // an empty one too: it may be absent
		}
		return nil, s.problem(c.requestID, invalid)
	}
	request := kernel.OnceRequest{
		Key: key, Fingerprint: c.fingerprint, Reserve: r.reserves,
		Success: func(made any) (kernel.Answer, error) {
			out, err := shapeOf[O](c, made)
			if err != nil {
				return kernel.Answer{}, err
			}
			return answerOf(r, c, out)
		},
		Refusal: func(err error) (kernel.Answer, bool) { return s.refusal(r, c, err) },
		After:   s.afterStep,
	}
	var made *O
	result, err := s.once(ctx, c.principal, request, func(ctx context.Context) (any, error) {
		out, err := h(ctx, c.principal, in)
		if err == nil {
			made = out
		}
		return out, err
	})
	switch {
	case made != nil:
		if err != nil {
			s.log.Error("an answer could not be stored for its idempotency key", slog.String("request_id", c.requestID), slog.Any("error", err))
		}
		return made, nil
	case err != nil:
		return nil, s.problem(c.requestID, err)
	}
	return nil, &stored{result}
}

// Shaped tells how the answer to a call under an Idempotency-Key is made from what the verb's transaction gives, before the
// verb returns. Without it that is the body of the answer. Secrets may be absent, since they are not stored. It returns answer.
func Shaped[T, O any](ctx context.Context, answer func(made *T) *O) func(made *T) *O {
	callFrom(ctx).shape = func(made any) any {
		if of, ok := made.(*T); ok {
			return answer(of)
		}
		return nil
	}
	return answer
}

// shapeOf is the output of an operation for what its handler, or the transaction of its verb, gave.
func shapeOf[O any](c *call, made any) (*O, error) {
	if out, ok := made.(*O); ok {
		return out, nil
	}
	if c.shape != nil {
		if out, ok := c.shape(made).(*O); ok {
			return out, nil
		}
		return nil, fmt.Errorf("httpserver: the answer cannot be made from a %T", made)
	}
	out := new(O)
	body, given := reflect.ValueOf(out).Elem().FieldByName("Body"), reflect.ValueOf(made)
	switch {
	case !body.IsValid(): // the answer has none
	case given.Type() == body.Type():
		body.Set(given)
	case given.Elem().Type() == body.Type():
		body.Set(given.Elem())
	default:
		return nil, fmt.Errorf("httpserver: the body of the answer is a %s and not a %T", body.Type(), made)
	}
	return out, nil
}

// answerOf is the output of an operation as it is stored for repeats: with its status, headers and body, but without
// secrets.
func answerOf(r *Route, c *call, out any) (a kernel.Answer, err error) {
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
			if a.Body, err = kernel.AppendJSON(nil, v.Field(i).Interface()); err == nil && len(r.secrets) > 0 {
				a.Body, err = withoutFields(a.Body, r.secrets)
			}
		}
	}
	return a, err
}

// withoutFields sets members of a JSON object to null.
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

// stored is the answer of an idempotent call, which goes out as it was stored. huma encodes the result of a
// handler by its type, with one status; an error brings its own status, headers and bytes.
type stored struct{ kernel.OnceResult }

func (a *stored) Error() string { return "httpserver: a stored answer" }

func (a *stored) GetStatus() int { return a.Answer.Status }

// GetHeaders reads the stored lines.
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

// refusal returns the answer for an error. 404 and 409 are answers of the call and are repeated; everything else leaves its key
// free. So does every error of an upload, which may come before the file is read.
func (s *Server) refusal(r *Route, c *call, err error) (kernel.Answer, bool) {
	var known *kernel.Error
	if r.Streams || !errors.As(err, &known) {
		return kernel.Answer{}, false
	}
	status := statusOf[known.Code]
	if status != http.StatusNotFound && status != http.StatusConflict {
		return kernel.Answer{}, false
	}
	body, failed := kernel.AppendJSON(nil, s.problem(c.requestID, err))
	answer := kernel.Answer{Status: status, Body: body}
	if status != http.StatusNotFound { // which shows nothing
		answer.Subject = r.subjectOf(c, nil)
	}
	return answer, failed == nil
}

// subjectOf is what an answer shows: the noun that it is about, or the one that the path names. out is what a verb or a
// handler gave, nil for a refusal.
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

// bodyOf is a pointer to the body of an operation's output; nil without one.
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

// fingerprint tells two calls apart: by method, path, query and the bytes of the body, or the name and the bytes of an uploaded
// file. It is authenticated with a key, because it is stored, and a password in the body could be guessed from a plain hash.
func (c *call) fingerprint() ([32]byte, error) {
	if c.route.Streams {
		if err := c.readUpload(); err != nil {
			return [32]byte{}, err
		}
	}
	h := hmac.New(sha256.New, c.server.fingerprintKey[:])
	u := c.request.URL
	for _, part := range []string{c.request.Method, strings.TrimPrefix(u.EscapedPath(), c.server.base), u.RawQuery} {
		_, _ = io.WriteString(h, part+"\n") // none of them can hold a line break
	}
	if c.body != nil {
		h.Write(c.body.Sum(nil))
	}
	return [32]byte(h.Sum(nil)), nil
}

// hashBody lets the body's bytes be known after huma has read them.
func hashBody(ctx huma.Context, next func(huma.Context)) {
	r, _ := humago.Unwrap(ctx)
	if r.Header[headerIdempotencyKey] == nil {
		next(ctx)
		return
	}
	c := callFrom(r.Context())
	c.body = sha256.New()
	r.Body = &hashedBody{r.Body, c.body}
	next(ctx)
}

type hashedBody struct {
	io.ReadCloser
	hash hash.Hash
}

func (b *hashedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.hash.Write(p[:n])
	return n, err
}

// documentKey adds the header that a POST may have, or must have, to its documentation.
func (r *Route) documentKey(op *huma.Operation) {
	least, most := kernel.MinIdempotencyKey, kernel.MaxIdempotencyKey
	pending := "a repeat waits for one that is in progress, and one that was interrupted can be repeated."
	if r.reserves {
		pending = "while the first one is in progress, or when it was interrupted, a repeat is 409 idempotency_pending."
	}
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: headerIdempotencyKey, In: "header", Required: r.KeyRequired,
		Description: "Chosen by the caller for each operation. For seven days a repeat of the same call under the same key gets the same answer, " +
			"with Idempotency-Replayed: true and without secrets, or 404 if the caller may no longer see what it shows. Another call under the same key is 409 idempotency_conflict; " + pending,
		Schema: &huma.Schema{Type: huma.TypeString, MinLength: &least, MaxLength: &most},
	})
}
