package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/channels/whatsapp"
	"recado/internal/kernel"
	"recado/internal/server"
)

type channelCmd struct {
	List       channelListCmd       `cmd:"" help:"List the channels of a company."`
	Add        channelAddCmd        `cmd:"" help:"Connect a WhatsApp number, or make a sandbox."`
	Notices    channelNoticesCmd    `cmd:"" help:"Show what WhatsApp said about a channel that is no message: restrictions, decisions, and what is not understood."`
	Test       channelTestCmd       `cmd:"" help:"Ask WhatsApp whether a channel works."`
	Disconnect channelDisconnectCmd `cmd:"" help:"Stop sending through a channel; what waits is kept."`
	Connect    channelConnectCmd    `cmd:"" help:"Connect a channel again, with new credentials where they are given."`
}

// channelFlags are the flags of all channel commands.
type channelFlags struct {
	databaseFlags
	addressFlags
	Company string `required:"" help:"Id of the company." placeholder:"UUID"`
}

// withOperator opens the desk as the company's operator, who may see private channels.
func (f channelFlags) withOperator(e *env, do func(ctx context.Context, d *server.Desk, operator *kernel.Principal) error) error {
	company, err := parseID("--company", f.Company)
	if err != nil {
		return err
	}
	config, err := f.databaseFlags.config(e)
	if err != nil {
		return err
	}
	if err := f.addressFlags.apply(&config); err != nil {
		return err
	}
	config.Existing = true
	return withConfig(e, config, func(ctx context.Context, d *server.Desk) error {
		operator, err := d.People.Operator(ctx, company)
		if err != nil {
			return err
		}
		return do(ctx, d, operator)
	})
}

type channelListCmd struct {
	channelFlags
	listFlags
}

func (c *channelListCmd) Run(e *env) error {
	return c.withOperator(e, func(ctx context.Context, d *server.Desk, operator *kernel.Principal) error {
		list, err := d.Channels.AllChannels(ctx, operator.Company.ID)
		if err != nil {
			return err
		}
		return printList(e, c.listFlags, "ID\tNAME\tPHONE\tPROVIDER\tSTATUS\n", list, func(w io.Writer, ch *channels.Channel) {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", ch.ID, ch.Name, ch.Phone, ch.Provider, channelState(ch))
		})
	})
}

func channelState(ch *channels.Channel) string {
	state := ch.Status
	if ch.Private {
		state += ", private"
	}
	for _, why := range []*provider.Reason{ch.StatusReason, ch.Warning} {
		if why != nil {
			state += ": " + why.Message
		}
	}
	return state
}

type channelNoticesCmd struct {
	channelFlags
	listFlags
	ID    string `arg:"" help:"Id of the channel, as channel list shows it."`
	Limit int    `default:"50" help:"How many of the newest."`
	Raw   bool   `help:"Show each as WhatsApp wrote it, too."`
}

func (c *channelNoticesCmd) Run(e *env) error {
	id, err := parseID("channel", c.ID)
	if err != nil {
		return err
	}
	if c.Limit < 1 || c.Limit > 10_000 {
		return fmt.Errorf("--limit must be between 1 and 10000 (%w)", errUsage)
	}
	return c.withOperator(e, func(ctx context.Context, d *server.Desk, operator *kernel.Principal) error {
		notices, err := d.Channels.Notices(ctx, operator.Company.ID, id, c.Limit)
		if err != nil {
			return err
		}
		lines := make([]noticeLine, len(notices))
		for i, n := range notices {
			lines[i] = noticeLine{CreatedAt: n.CreatedAt, Kind: n.Kind, Text: n.Text}
			if c.Raw {
				lines[i].Raw = string(n.Raw)
			}
		}
		return printList(e, c.listFlags, "", lines, func(_ io.Writer, n *noticeLine) { // not a table, because texts may contain tabs
			_, _ = fmt.Fprintf(e.stdout, "%s  %s: %s\n", n.CreatedAt.UTC().Format(time.RFC3339), n.Kind, n.Text)
			if n.Raw != "" {
				_, _ = fmt.Fprintf(e.stdout, "%s\n", n.Raw)
			}
		})
	})
}

// noticeLine is a printed notice.
type noticeLine struct {
	CreatedAt time.Time `json:"created_at"`
	Kind      string    `json:"kind"`
	Text      string    `json:"text"`
	Raw       string    `json:"raw,omitempty"`
}

// credentialFlags are the credentials of a number from Meta's dashboard.
type credentialFlags struct {
	PhoneNumberID string `name:"phone-number-id" help:"Meta's id of the number." placeholder:"DIGITS"`
	WABAID        string `name:"waba-id" help:"Id of the WhatsApp Business account." placeholder:"DIGITS"`
	Token         string `secret:"" help:"Access token; better given as RECADO_TOKEN." placeholder:"TOKEN"`
	AppSecret     string `name:"app-secret" secret:"" help:"Secret of the Meta app; better given as RECADO_APP_SECRET." placeholder:"SECRET"`
	VerifyToken   string `name:"verify-token" help:"What Meta proves itself with; default: one is made." placeholder:"TEXT"`
	APIVersion    string `name:"api-version" help:"Version of Meta's API; default: this program's choice." placeholder:"vN.N"`

	TokenFile     string `name:"token-file" help:"File that holds the access token." placeholder:"FILE"`
	AppSecretFile string `name:"app-secret-file" help:"File that holds the secret of the Meta app." placeholder:"FILE"`
}

func (f credentialFlags) any() bool { return f != credentialFlags{} }

type channelAddCmd struct {
	channelFlags
	credentialFlags
	Name        string `required:"" help:"What the team calls the channel."`
	Provider    string `default:"whatsapp" enum:"whatsapp,sandbox" help:"whatsapp or sandbox."`
	Phone       string `help:"Number of a sandbox; WhatsApp tells that of a WhatsApp number."`
	Coexistence bool   `help:"The number also lives in the WhatsApp Business app."`
	Private     bool   `help:"Nothing of this channel ever leaves through an API key."`
}

func (c *channelAddCmd) Run(e *env) error {
	in := channels.NewChannel{Name: c.Name, Phone: c.Phone, Provider: c.Provider, Private: c.Private}
	if c.Provider == channels.ProviderWhatsApp {
		if c.PhoneNumberID == "" || c.WABAID == "" || c.Token == "" || c.AppSecret == "" {
			return fmt.Errorf("a WhatsApp number needs --phone-number-id, --waba-id, --token and --app-secret (%w)", errUsage)
		}
		in.Access = &channels.Access{
			PhoneNumberID: c.PhoneNumberID, WABAID: c.WABAID, Token: c.Token, AppSecret: c.AppSecret,
			VerifyToken: c.VerifyToken, APIVersion: c.APIVersion, Coexistence: c.Coexistence,
		}
	} else if c.credentialFlags.any() {
		return fmt.Errorf("a sandbox has no credentials (%w)", errUsage)
	}
	return c.withOperator(e, func(ctx context.Context, d *server.Desk, operator *kernel.Principal) error {
		made, err := d.Channels.CreateChannel(ctx, operator, in)
		if err != nil {
			return err
		}
		return c.show(ctx, e, d, made)
	})
}

// show prints the id of the channel on the first line, then the values for Meta's dashboard.
func (f channelFlags) show(ctx context.Context, e *env, d *server.Desk, ch channels.Channel) error {
	_, _ = fmt.Fprintln(e.stdout, ch.ID)
	_, access, found, err := d.Channels.Access(ctx, ch.Company, ch.ID)
	if err != nil || !found {
		return err
	}
	address := strings.TrimSuffix(f.PublicURL, "/")
	if address == "" {
		address = "https://YOUR-SERVER"
	}
	_, _ = fmt.Fprintf(e.stdout, "number        %s\ncallback URL  %s%s%s\nverify token  %s\n", ch.Phone, address, f.BasePath, whatsapp.CallbackPath(ch.ID), access.VerifyToken)
	if ch.Warning != nil {
		_, _ = fmt.Fprintf(e.stdout, "warning       %s\n", ch.Warning.Message)
	}
	return nil
}

type channelTestCmd struct {
	channelFlags
	ID string `arg:"" help:"Id of the channel, as channel list shows it."`
}

func (c *channelTestCmd) Run(e *env) error {
	id, err := parseID("channel", c.ID)
	if err != nil {
		return err
	}
	return c.withOperator(e, func(ctx context.Context, d *server.Desk, operator *kernel.Principal) error {
		test, err := d.Channels.TestChannel(ctx, operator, id)
		if err != nil {
			return err
		}
		if !test.OK {
			return errors.New(test.Error.Message)
		}
		for _, line := range []struct {
			name  string
			value *string
		}{{"number", test.Phone}, {"name", test.VerifiedName}, {"status", test.Status}, {"quality", test.Quality}} {
			if line.value != nil {
				_, _ = fmt.Fprintf(e.stdout, "%-8s %s\n", line.name, *line.value)
			}
		}
		return nil
	})
}

type channelDisconnectCmd struct {
	channelFlags
	ID string `arg:"" help:"Id of the channel, as channel list shows it."`
}

func (c *channelDisconnectCmd) Run(e *env) error {
	id, err := parseID("channel", c.ID)
	if err != nil {
		return err
	}
	return c.withOperator(e, func(ctx context.Context, d *server.Desk, operator *kernel.Principal) error {
		_, _, err := d.Channels.UpdateChannel(ctx, operator, id, channels.ChannelChange{Status: new(channels.ChannelDisconnected)})
		return err
	})
}

type channelConnectCmd struct {
	channelFlags
	credentialFlags
	ID string `arg:"" help:"Id of the channel, as channel list shows it."`
}

func (c *channelConnectCmd) Run(e *env) error {
	id, err := parseID("channel", c.ID)
	if err != nil {
		return err
	}
	change := channels.ChannelChange{Status: new(channels.ChannelConnected)}
	if c.credentialFlags.any() {
		change.Access = &channels.AccessChange{
			PhoneNumberID: given(c.PhoneNumberID), WABAID: given(c.WABAID), Token: given(c.Token),
			AppSecret: given(c.AppSecret), VerifyToken: given(c.VerifyToken), APIVersion: given(c.APIVersion),
		}
	}
	return c.withOperator(e, func(ctx context.Context, d *server.Desk, operator *kernel.Principal) error {
		ch, _, err := d.Channels.UpdateChannel(ctx, operator, id, change)
		if err != nil {
			return err
		}
		return c.show(ctx, e, d, ch)
	})
}

// given returns nil for an absent flag.
func given(value string) *string {
	if value == "" {
		return nil
	}
	return &value
}
