# `make` alone lists what can be done. A line "name: ## text" is its own documentation.

SHELL      := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VERSION  ?= 0.1.0
PKG      ?= ./...
COUNT    ?= 5
FUZZTIME ?= 20s
ENGINE   ?= sqlite
MINUTES  ?= 20
RATE     ?= 500
ARGS     ?=

# Without C, so that what the linters, the command and the tests without the race detector compile is compiled once.
export CGO_ENABLED := 0

# The race detector watches everything but the inside of SQLite: C translated to Go, several times slower under it.
RACE := -race -gcflags=modernc.org/...=-race=false

# Tests that are marked as parallel spend most of their time waiting, so that more of them run than there are processors.
PARALLEL := -parallel 4

# These have more tests than all others together. The race detector watches them on SQLite; on PostgreSQL they
# run without it. All other packages have it on both engines, but for those named in PLAIN and WAITING: they have no goroutines of
# their own, run the command, or try the same server once more. test/powercut is not among them, since it runs the server
# in its own process; nor is a new package, until it is named. The longest are first, because packages are started in this order.
WIDE    := ./test/api ./internal/talk ./internal/webhooks ./internal/boards ./internal/reception ./internal/reports ./internal/people ./internal/channels ./internal/server
WAITING := ./test/cluster ./test/whatsapp ./bench
PLAIN   := ./bench/corpus ./bench/load \
	$(addprefix ./test/,agree binary crash docs matrix hostile admin house install load packaging readme recorded) ./packaging/... ./cmd/recado \
	$(addprefix ./internal/,admin fold media phone quantile rank)

# Tests and linters may use more memory in exchange for less work of the garbage collector.
GC := 200

# `make lint` has looked at the same code (-vet=off), and no debugger is attached to a test (-w).
TEST := -vet=off -ldflags=-w -timeout 30m $(PARALLEL)

# $(call tests,FLAGS,PACKAGES) runs tests.
tests = GOGC=$(GC) go test $(TEST) $(1) $(2)

.PHONY: help
help: ## list the targets
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: build ## build and start a demo on http://127.0.0.1:8080 with SQLite in ./data (ARGS="--addr ...")
	bin/recado serve --demo $(ARGS)

.PHONY: build
build: ## build bin/recado, one static binary
	$(if $(BUILT),,go build -buildvcs=false -ldflags '-s -w -X main.version=$(VERSION)' -o bin/recado ./cmd/recado)

# Both run to their end, whether the other fails or not.
.PHONY: test
test: build web/node_modules ## run every test on SQLite and on a throw-away PostgreSQL, with the race detector and in a browser
	$(MAKE) --no-print-directory -k -j 2 BUILT=1 test-go web-e2e

.PHONY: test-go
test-go: c-compiler ## run the tests that need Go alone
	scripts/with-postgres $(MAKE) --no-print-directory -k -j 3 test-race test-plain test-waiting

# These expect a PostgreSQL in RECADO_TEST_POSTGRES. They run side by side: two that use the
# processors, and one whose tests mostly wait, so that a processor is idle only at the very end. With GORACE a process ends without
# the sleep of a second that the race detector adds. Tests that run the command take bin/recado.
.PHONY: test-race
test-race: export GORACE := atexit_sleep_ms=10
test-race:
	CGO_ENABLED=1 $(call tests,$(RACE) -p 1 -skip '/postgres$$',$(WIDE))
	CGO_ENABLED=1 $(call tests,$(RACE) -p 1,$$(go list ./... | grep -vxF "$$(go list $(WIDE) $(PLAIN) $(WAITING))"))

.PHONY: test-plain test-waiting
test-plain test-waiting: export TEST_BINARY_OF_RECADO := $(CURDIR)/bin/recado
test-plain: build
	$(call tests,-p 1 -skip '/sqlite$$',$(WIDE))
	$(call tests,-p 2,$(PLAIN))

test-waiting: build
	$(call tests,-p 1,$(WAITING))

.PHONY: race
race: c-compiler ## repeat tests under the race detector to meet rare schedules (PKG=./internal/kernel COUNT=5)
	CGO_ENABLED=1 scripts/with-postgres go test $(RACE) $(PARALLEL) -timeout 30m -count $(COUNT) -shuffle on $(PKG)

.PHONY: soak
soak: build ## kills, power cuts and a failing WhatsApp in full, then a steady load on each engine (MINUTES=20 RATE=500): bench/soak-*.txt
	RECADO_FULL=1 scripts/with-postgres go test -v -count 1 -p 1 -timeout 120m ./test/crash ./test/powercut ./test/cluster/...
	RECADO_FULL=1 scripts/with-postgres go test -v -count 1 -timeout 60m -run Soak ./test/whatsapp
	scripts/with-postgres --durable go run -buildvcs=false ./bench soak -engine both -minutes $(MINUTES) -rate $(RATE)

.PHONY: cover
cover: ## measure which statements the tests reach: bin/cover.html
	mkdir -p bin
	scripts/with-postgres go test -timeout 30m -coverpkg ./internal/... -coverprofile bin/cover.out ./...
	go tool cover -html bin/cover.out -o bin/cover.html
	go tool cover -func bin/cover.out | tail -1

.PHONY: lint
lint: ## check format, vet, staticcheck and the module files
	@files=$$(find . \( -name bin -o -name node_modules \) -prune -o -name '*.go' -print); \
		bad=$$(go tool gofumpt -l $$files); \
		[[ -z $$bad ]] || { echo "not formatted (go tool gofumpt -w FILE):"; sort -u <<<"$$bad"; exit 1; }
	GOGC=$(GC) go vet ./...
	GOGC=$(GC) go tool staticcheck ./...
	go mod tidy -diff
	go mod verify

# Both linters fetch their tools, and are no part of CI.
.PHONY: api-lint
api-lint: build ## check the OpenAPI documents with Redocly and Spectral (needs Node 20 and a network)
	scripts/api-lint

.PHONY: api-clients
api-clients: build web/node_modules ## generate clients from the OpenAPI documents with oapi-codegen, ogen and openapi-typescript, and run the programs of docs/clients.md with them (ARGS=--as-written: by its own commands)
	scripts/api-clients $(ARGS)

.PHONY: packaging-lint
packaging-lint: ## check the Dockerfile and the compose file with linters (needs Node 20 and a network)
	scripts/packaging-lint

.PHONY: api-answers
api-answers: web/node_modules ## compare the answers that tests left in RECADO_TEST_ANSWERS with the OpenAPI document, with ajv
	node web/scripts/answers.mjs '$(RECADO_TEST_ANSWERS)'

.PHONY: fuzz
fuzz: ## run every fuzz target, FUZZTIME (20s) each
	scripts/fuzz $(FUZZTIME)

.PHONY: bench
bench: build ## measure beside reference points (ENGINE=sqlite|postgres|both ARGS="-run me -seconds 5")
	@case '$(ENGINE)' in \
		sqlite) go run -buildvcs=false ./bench -engine sqlite $(ARGS) ;; \
		postgres|both) scripts/with-postgres --durable go run -buildvcs=false ./bench -engine '$(ENGINE)' $(ARGS) ;; \
		*) echo "ENGINE is sqlite, postgres or both, not '$(ENGINE)'" >&2; exit 2 ;; \
	esac

.PHONY: bench-move
bench-move: build ## measure the move of an installation to PostgreSQL and back, its backup and its restore (ARGS="-messages 2000000")
	scripts/with-postgres --durable go run -buildvcs=false ./bench move $(ARGS)

# The browser app. Its build is committed, so that everything else needs Go alone.
NPM := npm --prefix web

web/node_modules: web/package-lock.json
	@command -v npm >/dev/null || { echo "The browser app is built and tested with Node 20 or newer: https://nodejs.org" >&2; exit 1; }
	$(NPM) ci --no-audit --no-fund
	touch $@

.PHONY: web
web: web/node_modules ## build the browser app into web/dist (needs Node 20)
	$(NPM) run build

.PHONY: web-types
web-types: build web/node_modules ## write the app's types from the API document (web/src/api/schema.d.ts)
	node web/scripts/schema.mjs

.PHONY: web-check
web-check: build web/node_modules ## check the browser app: types, lint, unit tests, and that web/dist is what the sources build
	node web/scripts/schema.mjs --check
	$(NPM) run types & types=$$!; $(NPM) run lint; wait $$types
	$(NPM) test
	$(NPM) run build
	@[[ -z $$(git status --porcelain web/dist) ]] || { echo "web/dist is not what web/src builds: run 'make web' and commit it" >&2; git status --short web/dist >&2; exit 1; }

.PHONY: web-e2e
web-e2e: build web/node_modules ## try the browser app in Chromium against the real server on both engines (RECADO=binary CHROMIUM=browser ARGS="-t phone")
	scripts/with-postgres scripts/with-chromium $(NPM) run e2e -- $(ARGS)

.PHONY: screenshots
screenshots: build web/node_modules ## make the pictures of the README from the demo (docs/images)
	scripts/with-chromium node web/scripts/screenshots.mjs

.PHONY: release
release: ## build the archives of a release for six platforms with checksums and lists of components: dist/
	rm -rf dist
	go run -buildvcs=false ./packaging/release -version '$(VERSION)' -time "$$(git log -1 --format=%ct)" -out dist

.PHONY: walk
walk: web/node_modules ## install a release as another user, set up in Chromium, back up, restore, move to PostgreSQL and upgrade, as the documents say
	scripts/walk-install

.PHONY: clean
clean: ## remove what the build made; ./data stays
	rm -rf bin dist

# The race detector is linked in C; nothing else here needs a compiler.
.PHONY: c-compiler
c-compiler:
	@command -v "$$(go env CC)" >/dev/null || { \
		echo "The race detector needs a C compiler and \"$$(go env CC)\" is not there. Install one:" >&2; \
		echo "  Debian, Ubuntu   apt-get install gcc libc6-dev" >&2; \
		echo "  Fedora           dnf install gcc" >&2; \
		echo "  Alpine           apk add gcc musl-dev" >&2; \
		exit 1; }
