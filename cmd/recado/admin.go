package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
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
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(e.stdout, made.ID)
		return err
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
		end := time.Now().Add(c.Expires).UTC()
		in.ExpiresAt = &end
	}
	return withDesk(e, c.databaseFlags, func(ctx context.Context, d *server.Desk) error {
		operator, err := d.People.Operator(ctx, company)
		if err != nil {
			return err
		}
		if operator.User.ID.IsZero() && in.User == nil {
			return errors.New("the company has no owner yet: create one with `recado user create --role owner`, or pass --user")
		}
		_, secret, err := d.People.CreateKey(ctx, operator, in)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(e.stdout, secret)
		return err
	})
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
	company, err := parseID("--company", c.Company)
	if err != nil {
		return err
	}
	return withDesk(e, c.databaseFlags, func(ctx context.Context, d *server.Desk) error {
		operator, err := d.People.Operator(ctx, company)
		if err != nil {
			return err
		}
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
	company, err := parseID("--company", c.Company)
	if err != nil {
		return err
	}
	id, err := parseID("key", c.ID)
	if err != nil {
		return err
	}
	return withDesk(e, c.databaseFlags, func(ctx context.Context, d *server.Desk) error {
		operator, err := d.People.Operator(ctx, company)
		if err != nil {
			return err
		}
		return d.People.RevokeKey(ctx, operator, id)
	})
}
