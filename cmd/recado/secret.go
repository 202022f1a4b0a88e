package main

import (
	"context"
	"fmt"

	"recado/internal/server"
)

type secretCmd struct {
	Rotate      secretRotateCmd      `cmd:"" help:"Put a new key into the key file and seal every secret with it; the older keys stay."`
	Retire      secretRetireCmd      `cmd:"" help:"Take every key but the newest out of the key file, after sealing with it what still needs that."`
	ReplaceLost secretReplaceLostCmd `cmd:"" name:"replace-lost" help:"Make an installation usable whose secret key is lost for good: secrets that cannot be read are replaced."`
}

type secretRotateCmd struct{ databaseFlags }

func (c *secretRotateCmd) Run(e *env) error {
	return withDesk(e, c.databaseFlags, func(ctx context.Context, d *server.Desk) error {
		n, err := d.SecretKey().Rotate(ctx)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "A new key seals; %d secrets were sealed anew. The older keys stay until `recado secret-key retire`.\n", n)
		return err
	})
}

type secretRetireCmd struct{ databaseFlags }

func (c *secretRetireCmd) Run(e *env) error {
	return withDesk(e, c.databaseFlags, func(ctx context.Context, d *server.Desk) error {
		if c.SecretKey != "" {
			if _, err := d.SecretKey().Reseal(ctx); err != nil {
				return err
			}
			_, err := fmt.Fprintln(e.stdout, "Every secret is sealed with the first key of the setting. Take the others out of it on every node, and restart.")
			return err
		}
		if err := d.SecretKey().Retire(ctx); err != nil {
			return err
		}
		_, err := fmt.Fprintln(e.stdout, "The newest key is the only one. Restart the server; older backups still need the older keys.")
		return err
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
		webhooks, channels, members, err := d.SecretKey().ReplaceLost(ctx)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "%d webhooks have a new secret and are inactive: rotate the secret of each, give it to the receiver, and activate the webhook.\n"+
			"%d channels are disconnected: connect each again with `recado channel connect --token-file FILE --app-secret-file FILE`.\n"+
			"%d people sign in without two-factor now: ask them to turn it on again.\n", webhooks, channels, members)
		return err
	})
}
