package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// answer is one response of the server under test, which the bare handler repeats byte for byte.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// bare starts the reference point: a process of its own with the standard server and a handler that does
// nothing but return the answer.
func (b *bench) bare(same *answer) (*process, string, error) {
	folder, err := b.folder()
	if err != nil {
		return nil, "", err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	given, err := json.Marshal(same)
	if err != nil {
		return nil, "", err
	}
	cmd := exec.Command(self, "bare")
	cmd.Stdin = bytes.NewReader(given)
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

// serveBare is the child's side: the answer comes in on stdin, the address goes out on stdout.
func serveBare(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	var same answer
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
			header := w.Header()
			for name, values := range same.Header {
				header[name] = values
			}
			w.WriteHeader(same.Status)
			_, _ = w.Write(same.Body) // it does not matter here whether the client is still there
		}),
	}
	fmt.Fprintln(stdout, listener.Addr())
	context.AfterFunc(ctx, func() { bare.Close() })
	if err := bare.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}

// capture asks the server once and keeps what it says. What the standard server adds by itself is left out.
func capture(ctx context.Context, s *servedBy, path string) (*answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", s.bearer())
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s answers %s: %s", path, response.Status, body)
	}
	for _, name := range []string{"Date", "Connection", "Content-Length"} {
		response.Header.Del(name)
	}
	return &answer{Status: response.StatusCode, Header: response.Header, Body: body}, nil
}
