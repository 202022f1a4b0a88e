package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
)

// withDesk opens the desk of existing data for an administrative command.
func withDesk(e *env, f databaseFlags, do func(ctx context.Context, d *server.Desk) error) error {
	config, err := f.config(e)
	if err != nil {
		return err
	}
	config.Existing = true
	return withConfig(e, config, do)
}

func withConfig(e *env, config server.Config, do func(ctx context.Context, d *server.Desk) error) error {
	s, err := server.Open(e.ctx, config)
	if err != nil {
		return err
	}
	return errors.Join(do(e.ctx, s.Desk), s.Stop(context.WithoutCancel(e.ctx)))
}

// withOperator is withDesk for a command of a company. The operator may see private channels too.
func withOperator(
	e *env, f databaseFlags, company string, do func(ctx context.Context, d *server.Desk, operator *kernel.Principal) error,
) error {
	id, err := parseID("--company", company)
	if err != nil {
		return err
	}
	return withDesk(e, f, asOperator(id, do))
}

func asOperator(
	company kernel.ID, do func(ctx context.Context, d *server.Desk, operator *kernel.Principal) error,
) func(ctx context.Context, d *server.Desk) error {
	return func(ctx context.Context, d *server.Desk) error {
		operator, err := d.People.Operator(ctx, company)
		if err != nil {
			return err
		}
		return do(ctx, d, operator)
	}
}

// printed prints the result of a command on a line.
func printed(e *env, result any, err error) error {
	if err == nil {
		_, err = fmt.Fprintln(e.stdout, result)
	}
	return err
}

// parseID parses an id from the command line.
func parseID(flag, text string) (kernel.ID, error) {
	id, ok := kernel.ParseID(text)
	if !ok {
		return id, fmt.Errorf("%s %q is not a UUID (%w)", flag, text, errUsage)
	}
	return id, nil
}

type companyCmd struct {
	Create companyCreateCmd `cmd:"" help:"Create a company."`
	List   companyListCmd   `cmd:"" help:"List the companies."`
}

type companyCreateCmd struct {
	databaseFlags
	Name     string `arg:"" help:"Name of the company."`
	Timezone string `default:"America/Sao_Paulo" help:"IANA time zone of the company."`
}

func (c *companyCreateCmd) Run(e *env) error {
	config, err := c.config(e)
	if err != nil {
		return err
	}
	return withConfig(e, config, func(ctx context.Context, d *server.Desk) error {
		made, err := d.People.CreateCompany(ctx, people.NewCompany{Name: c.Name, Timezone: c.Timezone, Rules: people.DefaultRules})
		return printed(e, made.ID, err)
	})
}

type companyListCmd struct {
	databaseFlags
	listFlags
}

func (c *companyListCmd) Run(e *env) error {
	return withDesk(e, c.databaseFlags, func(ctx context.Context, d *server.Desk) error {
		companies, err := d.People.Companies(ctx)
		if err != nil {
			return err
		}
		return printList(e, c.listFlags, "ID\tNAME\tTIME ZONE\n", companies, func(w io.Writer, c *kernel.Company) {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", c.ID, c.Name, c.Timezone)
		})
	})
}

type keyCmd struct {
	Create keyCreateCmd `cmd:"" help:"Create an API key and print it. It is not shown again."`
	List   keyListCmd   `cmd:"" help:"List the keys of a company."`
	Revoke keyRevokeCmd `cmd:"" help:"Revoke a key."`
}

type keyCreateCmd struct {
	databaseFlags
	Company string        `required:"" help:"Id of the company." placeholder:"UUID"`
	Name    string        `required:"" help:"Name of the key."`
	Scopes  string        `required:"" help:"Scopes separated by commas, such as conversations:read,messages:send, or all."`
	User    string        `help:"Id of the team member the key acts as; default: the owner." placeholder:"UUID"`
	ActsAs  string        `enum:"person,integration" default:"person" help:"Sender of messages sent with the key: the team member (person) or none (integration). Messages of an integration have no sender, do not count as a first response, do not assign the conversation and do not open an attendance."`
	Expires time.Duration `help:"Lifetime of the key, such as 720h; default: unlimited."`
	Boards  string        `help:"Ids of the boards the key can see, separated by commas; default: all." placeholder:"UUID,…"`
	Rate    int64         `noenv:"" help:"Requests per second; default: the rate of the installation."`
	Burst   int64         `noenv:"" help:"Maximum burst; default: twice the rate."`
}

func (c *keyCreateCmd) Run(e *env) error {
	company, err := parseID("--company", c.Company)
	if err != nil {
		return err
	}
	in := people.NewKey{Name: c.Name, Scopes: kernel.EveryScope, ActsAs: c.ActsAs}
	if c.Scopes != "all" {
		scopes, invalid := kernel.ParseScopes(strings.Split(c.Scopes, ","))
		if invalid != nil {
			return fmt.Errorf("--scopes: %s (%w)", invalid.Fields[0].Message, errUsage)
		}
		in.Scopes = scopes
	}
	if c.User != "" {
		user, err := parseID("--user", c.User)
		if err != nil {
			return err
		}
		in.User = &user
	}
	if in.Boards, err = c.boards(); err != nil {
		return err
	}
	if in.Rate, err = c.rate(); err != nil {
		return err
	}
	if c.Expires != 0 {
		in.ExpiresAt = new(time.Now().Add(c.Expires).UTC())
	}
	return withDesk(e, c.databaseFlags, asOperator(company, func(ctx context.Context, d *server.Desk, operator *kernel.Principal) error {
		if operator.User.ID.IsZero() && in.User == nil {
			return errors.New("the company has no owner yet: create one with `recado user create --role owner`, or pass --user")
		}
		_, secret, err := d.People.CreateKey(ctx, operator, in)
		return printed(e, secret, err)
	}))
}

func (c *keyCreateCmd) boards() (*[]kernel.ID, error) {
	if c.Boards == "" {
		return nil, nil
	}
	var boards []kernel.ID
	for text := range strings.SplitSeq(c.Boards, ",") {
		id, err := parseID("--boards", strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		boards = append(boards, id)
	}
	return &boards, nil
}

func (c *keyCreateCmd) rate() (*kernel.Rate, error) {
	switch {
	case c.Rate == 0 && c.Burst == 0:
		return nil, nil
	case c.Rate < 1 || c.Rate > 1_000_000 || c.Burst < 0 || c.Burst > 1_000_000:
		return nil, fmt.Errorf("--rate and --burst must be between 1 and 1000000, and --burst needs --rate (%w)", errUsage)
	}
	return &kernel.Rate{PerSecond: c.Rate, Burst: cmp.Or(c.Burst, min(2*c.Rate, 1_000_000))}, nil
}

type keyListCmd struct {
	databaseFlags
	listFlags
	Company string `required:"" help:"Id of the company." placeholder:"UUID"`
}

func (c *keyListCmd) Run(e *env) error {
	return withOperator(e, c.databaseFlags, c.Company, func(ctx context.Context, d *server.Desk, operator *kernel.Principal) error {
		keys, err := d.People.Keys(ctx, operator)
		if err != nil {
			return err
		}
		return printList(e, c.listFlags, "ID\tNAME\tACTS AS\tSTATUS\n", keys, func(w io.Writer, k *people.Key) {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", k.ID, k.Name, k.User.Name, keyState(k))
		})
	})
}

func keyState(k *people.Key) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked " + k.RevokedAt.Format(time.DateTime)
	case k.ExpiresAt != nil:
		return "until " + k.ExpiresAt.Format(time.DateTime)
	}
	return "active"
}

type keyRevokeCmd struct {
	databaseFlags
	Company string `required:"" help:"Id of the company." placeholder:"UUID"`
	ID      string `arg:"" help:"Id of the key, as shown by key list."`
}

func (c *keyRevokeCmd) Run(e *env) error {
	id, err := parseID("key", c.ID)
	if err != nil {
		return err
	}
	return withOperator(e, c.databaseFlags, c.Company, func(ctx context.Context, d *server.Desk, operator *kernel.Principal) error {
		return d.People.RevokeKey(ctx, operator, id)
	})
}

// listFlags are the flags of listings.
type listFlags struct {
	JSON bool `name:"json" help:"Print a JSON list instead of a table."`
}

// printList prints a list as JSON, or as a table with an optional header.
func printList[T any](e *env, f listFlags, header string, list []T, row func(w io.Writer, entry *T)) error {
	if f.JSON {
		if list == nil {
			list = []T{}
		}
		raw, err := kernel.EncodeJSON(list)
		if err == nil {
			_, err = fmt.Fprintf(e.stdout, "%s\n", raw)
		}
		return err
	}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	_, _ = io.WriteString(w, header)
	for i := range list {
		row(w, &list[i])
	}
	return w.Flush()
}

type reportCmd struct {
	Rebuild reportRebuildCmd `cmd:"" help:"Recalculate the attendance report."`
}

type reportRebuildCmd struct {
	databaseFlags
	Company string `help:"Id of the company; default: all companies." placeholder:"UUID"`
}

func (c *reportRebuildCmd) Run(e *env) error {
	only, err := optionalID("--company", c.Company)
	if err != nil {
		return err
	}
	return withDesk(e, c.databaseFlags, func(ctx context.Context, d *server.Desk) error {
		if !only.IsZero() {
			return d.Reports.RebuildReport(ctx, only)
		}
		companies, err := d.People.Companies(ctx)
		if err != nil {
			return err
		}
		for _, company := range companies {
			if err := d.Reports.RebuildReport(ctx, company.ID); err != nil {
				return fmt.Errorf("%s: %w", company.Name, err)
			}
		}
		return nil
	})
}

type secretCmd struct {
	Rotate      secretRotateCmd      `cmd:"" help:"Add a new key to the key file and re-encrypt every secret with it; older keys are kept."`
	Retire      secretRetireCmd      `cmd:"" help:"Re-encrypt remaining secrets with the newest key and remove all other keys from the key file."`
	ReplaceLost secretReplaceLostCmd `cmd:"" name:"replace-lost" help:"Recover an installation whose secret key is lost: unreadable secrets are replaced."`
}

type secretRotateCmd struct{ databaseFlags }

func (c *secretRotateCmd) Run(e *env) error {
	return withDesk(e, c.databaseFlags, func(ctx context.Context, d *server.Desk) error {
		n, err := d.SecretKey().Rotate(ctx)
		return printed(e, fmt.Sprintf("A new key was added and %d secrets were re-encrypted with it. "+
			"The older keys are kept until you run `recado secret-key retire`.", n), err)
	})
}

type secretRetireCmd struct{ databaseFlags }

func (c *secretRetireCmd) Run(e *env) error {
	return withDesk(e, c.databaseFlags, func(ctx context.Context, d *server.Desk) error {
		if c.SecretKey != "" {
			_, err := d.SecretKey().Reseal(ctx)
			return printed(e, "Every secret is encrypted with the first key of the setting. "+
				"Remove the other keys from it on every node, and restart.", err)
		}
		err := d.SecretKey().Retire(ctx)
		return printed(e, "All keys except the newest were removed. Restart the server. Older backups still need the older keys.", err)
	})
}

type secretReplaceLostCmd struct{ databaseFlags }

func (c *secretReplaceLostCmd) Run(e *env) error {
	config, err := c.config(e)
	if err != nil {
		return err
	}
	config.Existing, config.LostSecretKey = true, true
	return withConfig(e, config, func(ctx context.Context, d *server.Desk) error {
		done, err := d.SecretKey().ReplaceLost(ctx)
		text := fmt.Sprintf("%d webhooks have a new secret and are inactive: rotate the secret of each, give it to the receiver, and activate the webhook.\n"+
			"%d channels are disconnected: connect each again with `recado channel connect --token-file FILE --app-secret-file FILE`, and scan the code of linked numbers again.\n"+
			"%d people now sign in without two-factor: ask them to turn it on again.", done.Webhooks, done.Channels, done.Members)
		if done.List != "" {
			text += fmt.Sprintf("\nThe list of erased people cannot be read without the lost key and was moved to %s: "+
				"if you restore a backup, erase again the people who were erased after it.", done.List)
		}
		return printed(e, text, err)
	})
}
