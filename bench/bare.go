package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// response is a response of the server, which the bare handler repeats.
type response struct {
	Status int
	Header http.Header
	Body   []byte
}

// bare starts a process with the standard HTTP server and a handler that only returns the response.
func (b *bench) bare(same *response) (*process, string, error) {
	folder, err := b.folder()
	if err != nil {
		return nil, "", err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	input, err := json.Marshal(same)
	if err != nil {
		return nil, "", err
	}
	cmd := exec.Command(self, "bare")
	cmd.Stdin = bytes.NewReader(input)
	read, write, err := os.Pipe()
	if err != nil {
		return nil, "", err
	}
	defer read.Close()
	cmd.Stdout = write
	child, err := b.start(folder, cmd)
	write.Close()
	if err != nil {
		return nil, "", err
	}
	address, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		return nil, "", fmt.Errorf("the bare handler did not start: %w:\n%s", err, child.logged())
	}
	return child, strings.TrimSpace(address), nil
}

// serveBare is the child process. It reads the response from stdin and writes its address to stdout.
func serveBare(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	var same response
	if err := json.NewDecoder(stdin).Decode(&same); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	bare := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			maps.Copy(w.Header(), same.Header)
			w.WriteHeader(same.Status)
			_, _ = w.Write(same.Body)
		}),
	}
	fmt.Fprintln(stdout, listener.Addr())
	context.AfterFunc(ctx, func() { bare.Close() })
	if err := bare.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}

// capture requests a path once and returns the response without the headers that the standard server adds.
func capture(ctx context.Context, s *testServer, path string) (*response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", s.bearer())
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}
	resp, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s returns %s: %s", path, resp.Status, body)
	}
	for _, name := range []string{"Date", "Connection", "Content-Length"} {
		resp.Header.Del(name)
	}
	return &response{Status: resp.StatusCode, Header: resp.Header, Body: body}, nil
}
