package imports

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"recado/internal/fields"
	"recado/internal/fold"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/phone"
	"recado/internal/talk"
	"recado/internal/tasks"
)

// contactsInput is the input of a job that imports contacts.
type contactsInput struct {
	Columns []Column `json:"columns"`
	Lines   int      `json:"lines"`
	DryRun  bool     `json:"dry_run"`
}

// contactsState is the state of such a job after a batch.
type contactsState struct {
	Records int           `json:"records"` // that are done
	Created int           `json:"created"`
	Updated int           `json:"updated"`
	Skipped int           `json:"skipped"`
	Preview []PreviewLine `json:"preview,omitempty"` // of a dry run
	Columns []Column      `json:"columns,omitempty"` // of a dry run, with samples
}

// contactsResult is the result of such a job.
type contactsResult struct {
	DryRun      bool          `json:"dry_run"`
	Lines       int           `json:"lines"`
	Created     int           `json:"created"`
	Updated     int           `json:"updated"`
	Skipped     int           `json:"skipped"`
	Errors      []LineError   `json:"errors"`
	ErrorsTotal int           `json:"errors_total"`
	URL         *string       `json:"url"`              // of the file with the errors; the job sets it
	Columns     []Column      `json:"columns,omitzero"` // of a dry run
	Preview     []PreviewLine `json:"preview,omitzero"` // of a dry run
}

// PreviewLine is a line as it would be stored.
type PreviewLine struct {
	Line     int           `json:"line"`
	Outcome  string        `json:"outcome"` // created, updated or skipped
	Name     *string       `json:"name"`
	Phone    *string       `json:"phone"`
	Business *string       `json:"company"`
	City     *string       `json:"city"`
	Labels   []string      `json:"labels"`
	OptedOut *bool         `json:"opted_out"`
	Fields   fields.Values `json:"fields"`
}

// contactsBatch is the number of lines that one transaction stores; few, so that other writers do not wait long.
const contactsBatch = 250

// checkContacts reads a table once, to refuse it at once if it cannot be imported.
func (d *Imports) checkContacts(ctx context.Context, a *kernel.Principal, u upload) (in contactsInput, err error) {
	in.DryRun = u.dryRun
	if err := u.notAllowed(chatFields...); err != nil {
		return in, err
	}
	if u.file.Size > MaxTable {
		return in, errTooLarge(MaxTable)
	}
	mapping, err := readMapping(u.fields["mapping"])
	if err != nil {
		return in, err
	}
	custom, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]fields.Field, error) {
		return fields.List(tx, a.Company.ID, fields.EntityContact)
	})
	if err != nil {
		return in, err
	}
	file, err := d.tasks.OpenUpload(ctx, u.file)
	if err != nil {
		return in, err
	}
	defer func() { _ = file.Close() }()
	table, err := newTableReader(file)
	if errors.Is(err, errUTF16) {
		return in, kernel.Malformed("body.file", "utf8")
	}
	if err != nil {
		return in, err
	}
	header, err := table.next()
	switch {
	case err == io.EOF:
		return in, kernel.Invalid("body.file", kernel.RuleRequired, "the file is empty")
	case err != nil:
		return in, err
	case header.cells == nil || len(header.cells) > maxColumns || strings.ContainsRune(strings.Join(header.cells, ""), 0):
		return in, kernel.Invalid("body.file", ruleNotATable, "is not a CSV file with headers in its first line")
	}
	var invalid *kernel.Error
	if in.Columns, invalid = columnsOf(header.cells, mapping, custom); invalid != nil {
		return in, invalid
	}
	hasPhone := slices.ContainsFunc(in.Columns, func(c Column) bool { return c.Field != nil && *c.Field == fieldPhone })
	if !hasPhone && !in.DryRun {
		return in, kernel.Invalid("body.mapping", ruleNoPhoneColumn, "no column has the phone numbers; name it in mapping")
	}
	for {
		_, err := table.next()
		if err == io.EOF {
			return in, nil
		}
		if err != nil {
			return in, err
		}
		if in.Lines++; in.Lines > MaxLines {
			return in, kernel.Invalid("body.file", kernel.RuleTooMany, "has more than 100,000 lines; split it", kernel.Params{"max": MaxLines})
		}
	}
}

// maxColumns is the number of columns of a table. Google Contacts has more than a hundred.
const maxColumns = 500

// readMapping parses the form field.
func readMapping(text string) (map[string]*string, error) {
	if text == "" {
		return nil, nil
	}
	var mapping map[string]*string
	if err := json.Unmarshal([]byte(text), &mapping); err != nil || mapping == nil {
		return nil, kernel.Malformed("body.mapping", "object")
	}
	return mapping, nil
}

// line is a line of a batch.
type line struct {
	at      int
	cells   []string
	row     row
	invalid *kernel.Error
}

// runContacts imports the rest of a table. It reads the table from the beginning, because a number must not appear twice in it.
func (d *Imports) runContacts(ctx context.Context, run *tasks.Run) error {
	var in contactsInput
	var state contactsState
	if err := run.Read(&in, &state); err != nil {
		return err
	}
	if in.DryRun && state.Columns == nil {
		state.Columns = in.Columns
	}
	custom, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]fields.Field, error) {
		return fields.List(tx, run.Company(), fields.EntityContact)
	})
	if err != nil {
		return err
	}
	table, end, err := openTable(ctx, run)
	if err != nil {
		return err
	}
	defer end()
	seen := map[string]int{}
	for records, more := 0, true; more; {
		var batch []line
		for len(batch) < contactsBatch {
			r, err := table.next()
			if err == io.EOF {
				more = false
				break
			}
			if err != nil {
				return err
			}
			l := readLine(r, in.Columns, custom, seen)
			if records++; records > state.Records {
				batch = append(batch, l)
			}
		}
		if len(batch) == 0 {
			continue
		}
		next, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (contactsState, error) {
			next, err := d.storeLines(tx, run, batch, in, state)
			if err != nil {
				return next, err
			}
			return next, run.Save(tx, next, int64(next.Records), int64(max(in.Lines, next.Records)))
		})
		if err != nil {
			return err
		}
		state = next
	}
	return d.endContacts(ctx, run, in, state)
}

// openTable opens the file of a job after its header. The caller calls end.
func openTable(ctx context.Context, run *tasks.Run) (table *tableReader, end func(), err error) {
	file, _, err := open(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	end = func() { _ = file.Close() }
	if table, err = newTableReader(file); err == nil {
		_, err = table.next()
	}
	if err != nil {
		end()
		return nil, nil, err
	}
	return table, end, nil
}

// readLine checks a line. seen has the lines with the numbers that the table had so far.
func readLine(r record, columns []Column, custom []fields.Field, seen map[string]int) line {
	l := line{at: r.line, cells: r.cells}
	if r.cells == nil {
		l.invalid = kernel.Invalid("", ruleUnclosedQuote, "a quote is not closed")
		return l
	}
	if l.row, l.invalid = readRow(r.cells, columns, custom); l.invalid != nil {
		return l
	}
	key := phone.Key(l.row.phone)
	if first, repeated := seen[key]; repeated {
		l.invalid = kernel.Invalid(fieldPhone, ruleInsideFile, "is the number of another line", kernel.Params{"line": first})
		return l
	}
	seen[key] = r.line
	return l
}

// storeLines stores a batch and returns the state after it.
func (d *Imports) storeLines(tx *kernel.Tx, run *tasks.Run, batch []line, in contactsInput, state contactsState) (contactsState, error) {
	a, err := run.Principal(tx) // they may have left the team
	if err != nil {
		return state, err
	}
	list := fields.Lock
	if in.DryRun {
		list = fields.List
	}
	custom, err := list(tx, run.Company(), fields.EntityContact)
	if err != nil {
		return state, err
	}
	var names []string
	for _, l := range batch {
		if l.invalid == nil {
			names = append(names, l.row.labels...)
		}
	}
	labels, err := d.talk.ImportLabels(tx, a, names, in.DryRun)
	if err != nil {
		return state, err
	}
	batch = slices.Clone(batch) // the transaction may run again
	var contacts []talk.ImportedContact
	var places []int
	for i := range batch {
		l := &batch[i]
		if l.invalid == nil {
			var c talk.ImportedContact
			if c, l.invalid = l.row.contact(labels); l.invalid == nil {
				contacts, places = append(contacts, c), append(places, i)
			}
		}
	}
	for i := range batch {
		if l := &batch[i]; l.invalid != nil && l.row.phone != "" {
			erased, isBack, err := d.talk.PhoneErased(tx, run.Company(), run.Company(), l.row.phone)
			if err != nil {
				return state, err
			}
			if erased != nil && !isBack {
				l.erase()
			}
		}
	}
	outcomes, err := d.talk.ImportContacts(tx, a, contacts, custom, in.DryRun)
	if err != nil {
		return state, err
	}
	for i, outcome := range outcomes {
		switch outcome {
		case talk.ImportCreated:
			state.Created++
		case talk.ImportUpdated:
			state.Updated++
		case talk.ImportErased:
			batch[places[i]].erase()
		}
	}
	var wrong []LineError
	state.Preview, state.Columns = slices.Clone(state.Preview), slices.Clone(state.Columns)
	for i := range batch {
		l := &batch[i]
		for c := range min(len(state.Columns), len(l.cells)) {
			state.Columns[c].sample(l.cells[c])
		}
		if l.invalid != nil {
			state.Skipped++
			wrong = append(wrong, lineError(l.at, l.invalid))
		}
		if in.DryRun && len(state.Preview) < previewLines {
			at, outcome := slices.Index(places, i), "skipped"
			if l.invalid == nil && at >= 0 {
				outcome = string(outcomes[at])
			}
			state.Preview = append(state.Preview, l.preview(outcome))
		}
	}
	insertErrors(tx, run, wrong)
	state.Records += len(batch)
	return state, nil
}

// erase refuses a line about an erased person and removes what it says.
func (l *line) erase() {
	*l = line{at: l.at, invalid: kernel.Invalid(fieldPhone, ruleErased, "this person was erased")}
}

// contact returns the contact of a line. The labels are by folded name; one that is missing could not be created.
func (r *row) contact(labels map[string]kernel.ID) (talk.ImportedContact, *kernel.Error) {
	c := talk.ImportedContact{
		Name: r.name, Phone: r.phone, BusinessName: r.business, City: r.city, Fields: r.fields, OptedOut: r.optedOut != nil && *r.optedOut,
	}
	for _, name := range r.labels {
		if id, found := labels[fold.Text(name)]; found {
			c.LabelIDs = append(c.LabelIDs, id)
		} else if _, isID := kernel.ParseID(fold.Text(name)); !isID {
			return c, kernel.Invalid(fieldLabels, ruleLabelLimit, "the company has no room for another label")
		}
	}
	return c, nil
}

func (l *line) preview(outcome string) PreviewLine {
	p := PreviewLine{
		Line: l.at, Outcome: outcome, Name: kernel.TextOrNil(l.row.name), Phone: kernel.TextOrNil(l.row.phone), Business: kernel.TextOrNil(l.row.business),
		City: kernel.TextOrNil(l.row.city), Labels: l.row.labels, OptedOut: l.row.optedOut, Fields: l.row.fields,
	}
	if p.Labels == nil {
		p.Labels = []string{}
	}
	if p.Fields == nil {
		p.Fields = fields.Values{}
	}
	return p
}

// endContacts ends the job.
func (d *Imports) endContacts(ctx context.Context, run *tasks.Run, in contactsInput, state contactsState) error {
	lines := func(w io.Writer) error { return d.writeBadLines(ctx, run, in, w) }
	return d.end(ctx, run, state.Skipped, lines, func(wrong []LineError) any {
		result := contactsResult{
			DryRun: in.DryRun, Lines: state.Records, Created: state.Created, Updated: state.Updated, Skipped: state.Skipped,
			Errors: wrong, ErrorsTotal: state.Skipped,
		}
		if in.DryRun {
			result.Columns, result.Preview = state.Columns, append([]PreviewLine{}, state.Preview...)
		}
		return result
	})
}

// writeBadLines writes the lines of the table that were left out, as they are in the table, with two columns more: the reason
// in English and its code. Lines about erased people are empty.
func (d *Imports) writeBadLines(ctx context.Context, run *tasks.Run, in contactsInput, to io.Writer) error {
	table, end, err := openTable(ctx, run)
	if err != nil {
		return err
	}
	defer end()
	w, err := newLineWriter(to, rune(table.comma))
	if err != nil {
		return err
	}
	width := len(in.Columns)
	write := func(cells []string, last ...string) error {
		out := make([]string, max(width, len(cells)), len(cells)+width+len(last))
		for i, cell := range cells {
			out[i] = httpserver.SafeCell(cell)
		}
		return w.Write(append(out, last...))
	}
	header := make([]string, width)
	for i, c := range in.Columns {
		header[i] = c.Header
	}
	if err := write(header, "error", "error_code"); err != nil {
		return err
	}
	err = d.errorPages(ctx, run, func(e LineError) error {
		for {
			r, err := table.next()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if int64(r.line) != e.Line {
				continue
			}
			switch {
			case e.Code == ruleErased.Code():
				r.cells = nil
			case r.cells == nil:
				r.cells = []string{r.raw}
			}
			reason := e.Message
			if e.Field != nil {
				reason = *e.Field + ": " + e.Message
			}
			return write(r.cells, reason, e.Code)
		}
	})
	w.Flush()
	return errors.Join(err, w.Error())
}
