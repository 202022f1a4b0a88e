package servertest

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestAnswersThatAreNotAsDocumentedAreFound(t *testing.T) {
	Each(t, func(t *testing.T, w *World) {
		c := newChecker(t, nil)
		route, _, err := c.router.FindRoute(httptest.NewRequest("GET", "/labels", nil))
		if err != nil {
			t.Fatal(err)
		}
		good := w.A.Get(t, "/labels").OK(200)
		for _, answer := range []struct {
			what   string
			status int
			kind   string
			body   string
			wrong  bool
		}{
			{"the server's own", 200, "application/json", string(good.Raw), false},
			{"a missing field", 200, "application/json", `{}`, true},
			{"a value of another type", 200, "application/json", `{"data": [{"id": 1}]}`, true},
			{"another content type", 200, "text/html", string(good.Raw), true},
			{"a status that is not documented", 418, "application/json", `{}`, true},
		} {
			resp := &http.Response{StatusCode: answer.status, Header: good.Header.Clone()}
			resp.Header.Set("Content-Type", answer.kind)
			if err := c.asDocumented(route, resp, []byte(answer.body)); (err != nil) != answer.wrong {
				t.Errorf("%s: got error %v, want an error: %v", answer.what, err, answer.wrong)
			}
		}
	})
}
