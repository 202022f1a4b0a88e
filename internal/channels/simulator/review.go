package simulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Review is what happens to new templates: "" they stay pending until DecideTemplate, "approve" or "reject" with a reason.
type Review struct {
	Mode   string `json:"mode"`
	Reason string `json:"reason,omitempty"` // INCORRECT_CATEGORY when empty
}

// deletedLife is how long the name of a deleted template cannot be used again.
const deletedLife = 30 * 24 * time.Hour

// SetReview changes what happens to templates created from now on.
func (s *Simulator) SetReview(r Review) error {
	if !slices.Contains([]string{"", "manual", "approve", "reject"}, r.Mode) {
		return errors.New("the mode is manual, approve or reject")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.review = r
	return nil
}

// DecideTemplate changes the status of a template, as Meta's review does, and notifies the business.
func (s *Simulator) DecideTemplate(name, language, status string) error {
	reason := ""
	if status == "REJECTED" {
		reason = "INCORRECT_CATEGORY"
	}
	return s.DecideTemplateFor(name, language, status, reason)
}

// DecideTemplateFor is DecideTemplate with Meta's reason for a rejection, such as INVALID_FORMAT.
func (s *Simulator) DecideTemplateFor(name, language, status, reason string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.template(name, language)
	if err != nil {
		return err
	}
	t.Status, t.Reason = status, reason
	value := s.templateValue(t)
	value["event"], value["reason"] = status, "NONE"
	if status == "REJECTED" {
		value["reason"] = reason
		value["rejection_info"] = map[string]any{
			"reason": "The template does not follow the policy " + reason + ".", "recommendation": "Change the template and try again.",
		}
	}
	s.emitForTemplate(t, "message_template_status_update", value)
	return nil
}

// SetTemplateQuality changes the quality of a template: GREEN, YELLOW, RED or UNKNOWN.
func (s *Simulator) SetTemplateQuality(name, language, quality string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.template(name, language)
	if err != nil {
		return err
	}
	value := s.templateValue(t)
	value["previous_quality_score"], value["new_quality_score"] = t.quality(), quality
	t.Quality = quality
	s.emitForTemplate(t, "message_template_quality_update", value)
	return nil
}

func (s *Simulator) template(name, language string) (*Template, error) {
	i := slices.IndexFunc(s.templates, func(t Template) bool { return t.Name == name && t.Language == language })
	if i < 0 {
		return nil, fmt.Errorf("there is no template %s in %s", name, language)
	}
	return &s.templates[i], nil
}

func (s *Simulator) templateValue(t *Template) map[string]any {
	return map[string]any{
		"message_template_id": json.Number(t.ID), "message_template_name": t.Name,
		"message_template_language": strings.ReplaceAll(t.Language, "_", "-"), "message_template_category": t.Category,
	}
}

// emitForTemplate sends a webhook to the first number of the template's account.
func (s *Simulator) emitForTemplate(t *Template, field string, value any) {
	for _, id := range s.order {
		if n := s.numbers[id]; t.WABAID == "" || t.WABAID == n.WABAID {
			s.emit(n, field, value)
			return
		}
	}
}

// refusedTemplate is Meta's error for a template with a subcode of its table.
func refusedTemplate(subcode int, title, text string) *graphFailure {
	return &graphFailure{status: 400, code: 100, subcode: subcode, title: "Invalid parameter", userTitle: title, userText: text}
}

var templateNameShape = regexp.MustCompile(`^[a-z0-9_]{1,512}$`)

// newComponent is a component of a template to create.
type newComponent struct {
	Type    string `json:"type"`
	Format  string `json:"format"`
	Text    string `json:"text"`
	Example struct {
		Body        [][]string `json:"body_text"`
		Header      []string   `json:"header_text"`
		Handle      []string   `json:"header_handle"`
		BodyNamed   []any      `json:"body_text_named_params"`
		HeaderNamed []any      `json:"header_text_named_params"`
	} `json:"example"`
	Buttons []struct {
		Type    string   `json:"type"`
		Text    string   `json:"text"`
		URL     string   `json:"url"`
		Phone   string   `json:"phone_number"`
		Example []string `json:"example"`
	} `json:"buttons"`
}

func (s *Simulator) createTemplate(r *request) (any, *graphFailure) {
	var in struct {
		Name       string            `json:"name"`
		Language   string            `json:"language"`
		Category   string            `json:"category"`
		Components []json.RawMessage `json:"components"`
	}
	if json.Unmarshal(r.body, &in) != nil || in.Name == "" || in.Language == "" || in.Category == "" {
		return nil, refusal(100, "name, language and category are required")
	}
	if !templateNameShape.MatchString(in.Name) {
		return nil, failure(400, 100, "Param name must consist of lower-case letters, digits and underscores")
	}
	if !slices.Contains([]string{"MARKETING", "UTILITY", "AUTHENTICATION"}, in.Category) {
		return nil, failure(400, 100, "Param category must be one of {MARKETING, UTILITY, AUTHENTICATION}")
	}
	t := Template{
		WABAID: r.path[0], Name: in.Name, Language: in.Language, Category: in.Category, Status: "PENDING", Components: in.Components,
	}
	for i, raw := range in.Components {
		var c newComponent
		if json.Unmarshal(raw, &c) != nil || c.Type == "" {
			return nil, failure(400, 100, fmt.Sprintf("Param components[%d]['type'] is required", i))
		}
		if f := s.checkComponent(i, c); f != nil {
			return nil, f
		}
		if strings.EqualFold(c.Type, "body") {
			t.Body = c.Text
		}
	}
	if t.Body == "" {
		return nil, refusedTemplate(2388072, "Message Body Format Is Incorrect", "The template needs a body.")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.nameTaken(t); f != nil {
		return nil, f
	}
	t.ID = strconv.FormatUint(700000000000000+s.nextID(), 10)
	s.templates = append(s.templates, t)
	if review := s.review; review.Mode == "approve" || review.Mode == "reject" {
		r.after = func() {
			if review.Mode == "approve" {
				_ = s.DecideTemplate(t.Name, t.Language, "APPROVED")
			} else if review.Reason != "" {
				_ = s.DecideTemplateFor(t.Name, t.Language, "REJECTED", review.Reason)
			} else {
				_ = s.DecideTemplate(t.Name, t.Language, "REJECTED")
			}
		}
	}
	return map[string]any{"id": t.ID, "status": t.Status, "category": t.Category}, nil
}

// nameTaken refuses a template that exists, or whose name was deleted in the last 30 days.
func (s *Simulator) nameTaken(t Template) *graphFailure {
	for _, old := range s.templates {
		if old.Name == t.Name && old.Language == t.Language && (old.WABAID == "" || old.WABAID == t.WABAID) {
			return refusedTemplate(2388024, "Content in This Language Already Exists",
				"There is already "+t.Language+" content for this template. You can create a new template and try again.")
		}
	}
	if at, ok := s.deleted[t.WABAID+" "+t.Name]; ok && s.now().Before(at.Add(deletedLife)) {
		return refusedTemplate(2388023, "Message Template Language Is Being Deleted",
			"New "+t.Language+" content can't be added while the existing content is being deleted. Try again in 4 weeks or create a new template.")
	}
	return nil
}

// checkComponent checks a component against Meta's limits.
func (s *Simulator) checkComponent(i int, c newComponent) *graphFailure {
	tooLong := func(max int) *graphFailure {
		if utf8.RuneCountInString(c.Text) <= max {
			return nil
		}
		f := refusedTemplate(2388040, "Character Limit Exceeded", fmt.Sprintf("This field can have at most %d characters.", max))
		f.blames = [][]string{{"components[" + strconv.Itoa(i) + "]", "text"}}
		return f
	}
	gaps := len(Template{Body: c.Text}.placeholders())
	switch strings.ToUpper(c.Type) {
	case "HEADER":
		if c.Format != "TEXT" {
			s.mu.Lock()
			known := len(c.Example.Handle) == 1 && s.handles[c.Example.Handle[0]]
			s.mu.Unlock()
			if !known {
				return refusedTemplate(2388273, "Sample Missing",
					"Templates with "+c.Format+" header type need an example/sample, but it was not provided.")
			}
			return nil
		}
		if gaps > 1 || gaps != len(c.Example.Header)+len(c.Example.HeaderNamed) {
			return refusedTemplate(2388047, "Message Header Format Is Incorrect", "The header can have one variable, with an example.")
		}
		return tooLong(60)
	case "BODY":
		given := len(c.Example.BodyNamed)
		if len(c.Example.Body) > 0 {
			given += len(c.Example.Body[0])
		}
		if gaps != given {
			return refusedTemplate(2388072, "Message Body Format Is Incorrect", "Every variable of the body needs an example.")
		}
		return tooLong(1024)
	case "FOOTER":
		if gaps > 0 {
			return refusedTemplate(2388073, "Message Footer Format Is Incorrect", "The footer can't have variables.")
		}
		return tooLong(60)
	case "BUTTONS":
		return checkNewButtons(i, c)
	}
	return failure(400, 100, fmt.Sprintf("Param components[%d]['type'] must be one of {HEADER, BODY, FOOTER, BUTTONS}", i))
}

func checkNewButtons(i int, c newComponent) *graphFailure {
	if len(c.Buttons) > 10 {
		return failure(400, 100, fmt.Sprintf("Param components[%d]['buttons'] must have at most 10 entries", i))
	}
	for j, b := range c.Buttons {
		at := fmt.Sprintf("Param components[%d]['buttons'][%d]", i, j)
		switch {
		case b.Text == "" || utf8.RuneCountInString(b.Text) > 25:
			return failure(400, 100, at+"['text'] must have 1 to 25 characters")
		case b.Type == "URL" && !strings.HasPrefix(b.URL, "http"), b.Type == "URL" && placeholder.MatchString(b.URL) != (len(b.Example) == 1):
			return failure(400, 100, at+"['url'] is not a valid URI")
		case b.Type == "PHONE_NUMBER" && !isPhone(strings.TrimPrefix(b.Phone, "+")):
			return failure(400, 192, at+"['phone_number'] is not a valid phone number.")
		}
	}
	return nil
}

func (s *Simulator) deleteTemplate(r *request) (any, *graphFailure) {
	name := r.URL.Query().Get("name")
	s.mu.Lock()
	defer s.mu.Unlock()
	found := false
	s.templates = slices.DeleteFunc(s.templates, func(t Template) bool {
		if t.Name != name || t.WABAID != "" && t.WABAID != r.path[0] {
			return false
		}
		found = true
		if t.approved() {
			s.deleted[r.path[0]+" "+name] = s.now()
		}
		return true
	})
	if !found {
		return nil, refusedTemplate(2593002, "Message Template Not Found", "There is no message template called "+name+".")
	}
	return success, nil
}

// beginUpload opens a session for the sample of a template.
func (s *Simulator) beginUpload(r *request) (any, *graphFailure) {
	q := r.URL.Query()
	length, err := strconv.Atoi(q.Get("file_length"))
	if err != nil || length <= 0 || q.Get("file_type") == "" {
		return nil, refusal(100, "file_length and file_type are required")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := "upload:" + strconv.FormatUint(s.nextID(), 10)
	s.uploads[id] = length
	return map[string]any{"id": id + "?sig=simulated"}, nil
}

// finishUpload takes the bytes of a session and returns their handle.
func (s *Simulator) finishUpload(r *request) (any, *graphFailure) {
	body, err := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if length := s.uploads[r.path[0]]; err != nil || len(body) != length || r.Header.Get("file_offset") != "0" ||
		r.URL.Query().Get("sig") != "simulated" {
		return nil, refusal(100, "the upload is incomplete")
	}
	handle := "4::" + r.path[0]
	s.handles[handle] = true
	return map[string]any{"h": handle}, nil
}
