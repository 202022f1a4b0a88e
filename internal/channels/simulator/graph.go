package simulator

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var version = regexp.MustCompile(`^v\d+\.\d+$`)

// request is an authorized call of the Graph API.
type request struct {
	*http.Request
	path  []string // without the version
	body  []byte
	after func() // runs after the response was written
}

// handler returns the response to a call: a *file or a value to encode as JSON.
type handler func(s *Simulator, r *request) (any, *graphFailure)

var success = map[string]any{"success": true}

// ServeHTTP serves the Graph API and, under /_control/, the routes that steer the simulator.
func (s *Simulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/_control/") {
		s.control.ServeHTTP(w, r)
		return
	}
	w.Header().Set("X-Fb-Trace-Id", "simulated")
	path, ok := segments(r.URL)
	if !ok {
		failure(http.StatusNotFound, 2500, "Unknown path components").write(w)
		return
	}
	if f := s.authorize(r); f != nil {
		f.write(w)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		failure(http.StatusBadRequest, 100, "The request was cut short").write(w)
		return
	}
	req := &request{Request: r, path: path, body: body}
	r.Body = io.NopCloser(bytes.NewReader(body))
	op, serve := s.route(req)
	if serve == nil {
		unknownObject(path[0]).write(w)
		return
	}
	fault := s.matchingFault(op)
	if fault == nil || fault.AfterAccept {
		response, f := serve(s, req)
		if fault == nil {
			writeResult(w, r, response, f)
		}
		if req.after != nil {
			req.after()
		}
	}
	if fault != nil {
		s.applyFault(fault, w, r)
	}
}

func writeResult(w http.ResponseWriter, r *http.Request, response any, f *graphFailure) {
	if f != nil {
		f.write(w)
	} else if stored, ok := response.(*file); ok {
		w.Header().Set("Content-Type", stored.mimeType)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(stored.bytes))
	} else {
		respond(w, http.StatusOK, response)
	}
}

// segments splits a path into its unescaped parts and drops the version.
func segments(u *url.URL) ([]string, bool) {
	var path []string
	for part := range strings.SplitSeq(strings.Trim(u.EscapedPath(), "/"), "/") {
		name, err := url.PathUnescape(part)
		if err != nil || name == "" {
			return nil, false
		}
		path = append(path, name)
	}
	if len(path) > 0 && version.MatchString(path[0]) {
		path = path[1:]
	}
	return path, len(path) > 0
}

func (s *Simulator) authorize(r *http.Request) *graphFailure {
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !found {
		token = r.URL.Query().Get("access_token") // Graph takes it there too
		found = token != ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	state, known := s.tokens[token]
	switch {
	case !found:
		return &graphFailure{status: 401, code: 190, title: "Access token is missing"}
	case !known || state == "revoked":
		return &graphFailure{status: 401, code: 190, subcode: 467, title: "Invalid OAuth access token"}
	case state == "expired":
		return &graphFailure{status: 401, code: 190, subcode: 463, title: "Error validating access token: Session has expired"}
	}
	return nil
}

// route returns the operation of a call, as faults name it, and its handler: an edge by its name, a node by its owner.
func (s *Simulator) route(r *request) (string, handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.path[0] == "whatsapp_business" && r.Method == http.MethodGet {
		return "download", (*Simulator).download
	}
	if r.Method == http.MethodPost && len(r.path) == 2 && r.path[0] == "app" && r.path[1] == "uploads" {
		return "sample", (*Simulator).beginUpload
	}
	edge := ""
	if len(r.path) == 2 {
		edge = r.path[1]
	} else if len(r.path) != 1 {
		return "", nil
	}
	number, account, file := s.numbers[r.path[0]] != nil, s.accounts[r.path[0]] != nil, s.files[r.path[0]] != nil
	for _, known := range []struct {
		owner  bool
		method string
		edge   string
		op     string
		serve  handler
	}{
		{number, "POST", "messages", messageOp(r.body), (*Simulator).messages},
		{number, "POST", "media", "upload", (*Simulator).upload},
		{number, "GET", "", "number", (*Simulator).showNumber},
		{number, "POST", "", "callback", (*Simulator).overrideNumber},
		{number, "POST", "register", "register", (*Simulator).register},
		{number, "POST", "deregister", "register", (*Simulator).register},
		{number, "GET", "whatsapp_business_profile", "profile", (*Simulator).profile},
		{number, "POST", "whatsapp_business_profile", "profile", (*Simulator).profile},
		{number, "GET", "block_users", "block", (*Simulator).blockUsers},
		{number, "POST", "block_users", "block", (*Simulator).blockUsers},
		{number, "DELETE", "block_users", "block", (*Simulator).blockUsers},
		{account, "GET", "", "account", (*Simulator).showAccount},
		{account, "GET", "phone_numbers", "numbers", (*Simulator).listNumbers},
		{account, "GET", "subscribed_apps", "subscribe", (*Simulator).subscribedApps},
		{account, "POST", "subscribed_apps", "subscribe", (*Simulator).subscribedApps},
		{account, "DELETE", "subscribed_apps", "subscribe", (*Simulator).subscribedApps},
		{account, "GET", "message_templates", "templates", (*Simulator).listTemplates},
		{account, "POST", "message_templates", "create_template", (*Simulator).createTemplate},
		{account, "DELETE", "message_templates", "delete_template", (*Simulator).deleteTemplate},
		{file, "GET", "", "lookup", (*Simulator).lookup},
		{file, "DELETE", "", "delete_media", (*Simulator).deleteFile},
		{s.uploads[r.path[0]] > 0, "POST", "", "sample", (*Simulator).finishUpload},
		{number, "POST", "smb_app_data", "import", (*Simulator).requestImport},
	} {
		if known.owner && known.method == r.Method && known.edge == edge {
			s.calls[known.op]++
			return known.op, known.serve
		}
	}
	return "", nil
}

// messageOp distinguishes messages from read receipts, which share an edge.
func messageOp(body []byte) string {
	var b struct {
		Status string `json:"status"`
	}
	if json.Unmarshal(body, &b) == nil && b.Status != "" {
		return "read"
	}
	return "messages"
}

// graphFailure is an error response of the Graph API. Without a code it has no body.
type graphFailure struct {
	status, code, subcode int
	title, details        string
	userTitle, userText   string
	blames                [][]string // paths of invalid fields
}

func failure(status, code int, title string) *graphFailure {
	return &graphFailure{status: status, code: code, title: title}
}

func unknownObject(id string) *graphFailure {
	return &graphFailure{status: 400, code: 100, subcode: 33, title: "Unsupported request. Object with ID '" + id +
		"' does not exist, cannot be loaded due to missing permissions, or does not support this operation"}
}

func (f *graphFailure) write(w http.ResponseWriter) {
	if f.code == 0 {
		w.WriteHeader(f.status)
		return
	}
	e := map[string]any{
		"message":    "(#" + strconv.Itoa(f.code) + ") " + f.title,
		"type":       "OAuthException",
		"code":       f.code,
		"fbtrace_id": "AbCsimulated",
	}
	if f.subcode != 0 {
		e["error_subcode"] = f.subcode
	}
	if f.details != "" {
		e["error_data"] = map[string]any{"messaging_product": "whatsapp", "details": f.details}
	}
	if f.userText != "" {
		e["message"], e["error_user_title"], e["error_user_msg"] = f.title, f.userTitle, f.userText
	}
	if f.blames != nil {
		e["error_data"] = map[string]any{"blame_field_specs": f.blames}
	}
	respond(w, f.status, map[string]any{"error": e})
}

func respond(w http.ResponseWriter, status int, body any) {
	text := asciiJSON(body)
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
