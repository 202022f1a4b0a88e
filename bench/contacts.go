package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"time"
)

const (
	importedContacts = 100_000
	maxImport        = time.Minute
)

// runContacts measures the import of a table of contacts with labels and a company, from the upload to the end of its job.
func runContacts(ctx context.Context, b *bench) error {
	s, err := b.fresh(ctx)
	if err != nil {
		return err
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	_ = w.WriteField("kind", "contacts") // a buffer never fails
	table, _ := w.CreateFormFile("file", "contacts.csv")
	_, _ = io.WriteString(table, "nome;telefone;empresa;cidade;etiquetas\n")
	for n := range importedContacts {
		fmt.Fprintf(table, "Cliente %d;+55119%08d;Loja %d;São Paulo;Cliente,Lista %d\n", n, 10_000_000+n, n%1000, n%10)
	}
	_ = w.Close()
	memory := s.watchMemory()
	recorded := b.profiling(ctx, s.process, "import", 10*time.Second)
	started := time.Now()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.address+"/v1/imports", &form)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", s.bearer())
	request.Header.Set("Content-Type", w.FormDataContentType())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	var job struct {
		ID     string `json:"id"`
		Status string `json:"status"`
		Result struct {
			Created int `json:"created"`
		} `json:"result"`
	}
	if err := json.NewDecoder(response.Body).Decode(&job); err != nil || response.StatusCode != http.StatusAccepted {
		return fmt.Errorf("the import: %s: %w", response.Status, err)
	}
	for job.Status == "running" {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := s.call(ctx, http.MethodGet, "/jobs/"+job.ID, "", &job); err != nil {
			return err
		}
	}
	took := time.Since(started)
	if err := recorded(); err != nil {
		return err
	}
	if job.Status != "done" || job.Result.Created != importedContacts {
		return fmt.Errorf("the import: %+v", job)
	}
	b.addFigure(figure{
		Subject: fmt.Sprintf("import of %d contacts", importedContacts), Unit: "s", P50: took.Seconds(), P95: took.Seconds(), Max: took.Seconds(),
		Goal: fmt.Sprintf("max %v", maxImport), Met: took <= maxImport,
	})
	b.addMemory("import of contacts", memory(), 0)
	return nil
}
