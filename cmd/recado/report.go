package main

import (
	"context"
	"fmt"

	"recado/internal/kernel"
	"recado/internal/server"
)

type reportCmd struct {
	Rebuild reportRebuildCmd `cmd:"" help:"Recalculate the attendance report."`
}

type reportRebuildCmd struct {
	databaseFlags
	Company string `help:"Id of the company; default: all companies." placeholder:"UUID"`
}

func (c *reportRebuildCmd) Run(e *env) error {
	var only kernel.ID
	if c.Company != "" {
		var err error
		if only, err = parseID("--company", c.Company); err != nil {
			return err
		}
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
