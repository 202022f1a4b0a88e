package servertest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// checker compares every answer with the OpenAPI document that the server itself serves.
type checker struct {
	router routers.Router
}

// The checker of this process: all its servers have the same operations, and reading the document takes longer than
// most tests.
var (
	shared  *checker
	sharing sync.Mutex
	servers = regexp.MustCompile(`"servers":\[[^]]*\],?`)
)

func newChecker(t testing.TB, handler http.Handler) *checker {
	t.Helper()
	sharing.Lock()
	defer sharing.Unlock()
	if shared != nil {
		return shared
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", documentPath(handler), nil))
	text := servers.ReplaceAllString(w.Body.String(), "") // the base path and port differ from test to test
	doc, err := openapi3.NewLoader().LoadFromData([]byte(text))
	if err != nil {
		t.Fatalf("the OpenAPI document cannot be read: %v", err)
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatalf("the OpenAPI document is not consistent: %v", err)
	}
	shared = &checker{router}
	return shared
}

// documentPath gives the path of the OpenAPI document, base path included.
func documentPath(handler http.Handler) string {
	if d, ok := handler.(interface{ Base() string }); ok {
		return d.Base() + "/v1/openapi.json"
	}
	return "/v1/openapi.json"
}

// check fails the test when an answer of a documented operation is not as documented.
func (c *checker) check(t *testing.T, r *http.Request, resp *http.Response, raw []byte) {
	t.Helper()
	_, path, found := strings.Cut(r.URL.Path, "/v1")
	if !found || c == nil {
		return
	}
	documented := r.Clone(context.Background())
	documented.URL.Path, documented.URL.RawPath, documented.URL.Host, documented.URL.Scheme = path, "", "", ""
	documented.Host = ""
	route, params, err := c.router.FindRoute(documented)
	if err != nil {
		return // no such operation: 404 and 405 are checked by their own tests
	}
	// The bytes of files are documented as such, without a schema.
	isFile := resp.StatusCode < 300 && strings.HasSuffix(path, "/content")
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: documented, PathParams: params, Route: route},
		Status:                 resp.StatusCode,
		Header:                 resp.Header,
		Body:                   io.NopCloser(bytes.NewReader(raw)),
		Options:                &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true, ExcludeResponseBody: isFile},
	})
	if err != nil {
		t.Errorf("%s %s: the answer is not as documented: %v\n%s", r.Method, path, err, raw)
	}
	checkCode(t, route, resp.StatusCode, raw)
}

// checkCode fails the test when the documentation of the operation does not name the error code of an answer.
func checkCode(t *testing.T, route *routers.Route, status int, raw []byte) {
	t.Helper()
	var refused struct {
		Code string `json:"code"`
	}
	response := route.Operation.Responses.Status(status)
	if status < 400 || response == nil || json.Unmarshal(raw, &refused) != nil || refused.Code == "" {
		return
	}
	if !strings.Contains(*response.Value.Description, "`"+refused.Code+"`") {
		t.Errorf("%s %s: the documentation of status %d names %s, not the code %s", route.Method, route.Path, status, *response.Value.Description, refused.Code)
	}
}
