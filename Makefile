# `make` lists the targets: each line "name: ## text" appears in the list.

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

# Without cgo, so that linters, the command and the tests without the race detector share one build cache, and without the
# path of the checkout, so that all checkouts share it.
export CGO_ENABLED := 0
export GOFLAGS += -trimpath

# SQLite, which is C translated to Go, is left out: it would be several times slower.
RACE := -race '-gcflags=modernc.org/...=-race=false -d=checkptr=0'

# Parallel tests spend most of their time waiting, so more of them run than there are processors.
PARALLEL := -parallel 4

# WIDE has more tests than all other packages together. They run with the race detector on SQLite and without it on
# PostgreSQL. PLAIN and WAITING run without it: they start no goroutines, run the command, or test the same server again.
# All other packages, including new ones, run with it on both engines. The slowest come first, because packages start in
# this order.
API     := ./test/api
WIDE    := $(API) ./internal/talk ./internal/webhooks ./internal/boards ./internal/reception ./internal/reports ./internal/people ./internal/channels ./internal/server
WAITING := ./test/cluster ./test/whatsapp ./test/linked ./bench
PLAIN   := ./bench/corpus ./bench/load \
	$(addprefix ./test/,agree binary crash docs matrix hostile admin house install load packaging readme recorded) ./packaging/... ./cmd/recado \
	$(addprefix ./internal/,admin fold media phone quantile rank)

# Tests and linters use more memory to save garbage collection.
GC := 400

# `make lint` runs vet (-vet=off), and tests need no debugging information (-w).
TEST := -vet=off -ldflags=-w -timeout 60m $(PARALLEL)

# $(call tests,FLAGS,PACKAGES) runs the tests of packages.
tests = GOGC=$(GC) go test $(TEST) $(1) $(2)

.PHONY: help
help: ## list the targets
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: build ## build and start a demo on http://127.0.0.1:8080 with SQLite in ./data (ARGS="--addr ...")
	bin/recado serve --demo $(ARGS)

.PHONY: build
build: ## build bin/recado, one static binary (TAGS=nolinked: without numbers linked by QR code)
	$(if $(BUILT),,go build -buildvcs=false $(if $(TAGS),-tags $(TAGS)) -ldflags '-s -w -X main.version=$(VERSION)' -o bin/recado ./cmd/recado)

# If one of the two fails, the other still runs. They run one after the other: each of them keeps two processors busy.
.PHONY: test
test: build web/node_modules ## run every test on SQLite and on a throw-away PostgreSQL, with the race detector and in a browser
	$(MAKE) --no-print-directory -k BUILT=1 test-go web-e2e

.PHONY: test-go
test-go: c-compiler ## run the tests that need only Go
	scripts/with-postgres $(MAKE) --no-print-directory -k -j 3 test-race test-plain test-waiting test-race-rest

# These need a PostgreSQL in RECADO_TEST_POSTGRES. Three run in parallel: two that use the processors, and one whose tests
# mostly wait, followed by the fourth. GORACE shortens the sleep of a second that the race detector adds at exit. Tests that
# run the command use bin/recado.
.PHONY: test-race test-race-rest
test-race test-race-rest: export GORACE := atexit_sleep_ms=10
test-race:
	CGO_ENABLED=1 $(call tests,$(RACE) -p 1 -skip '/postgres$$',$(API))

test-race-rest:
	wide=0; CGO_ENABLED=1 $(call tests,$(RACE) -p 2 -skip '/postgres$$',$(filter-out $(API),$(WIDE))) || wide=1; \
	CGO_ENABLED=1 $(call tests,$(RACE) -p 2,$$(go list ./... | grep -vxF "$$(go list $(WIDE) $(PLAIN) $(WAITING))")) && exit $$wide

.PHONY: test-plain test-waiting
test-plain test-waiting: export TEST_BINARY_OF_RECADO := $(CURDIR)/bin/recado
test-plain: build
	wide=0; $(call tests,-p 1 -skip '/sqlite$$',$(WIDE)) || wide=1; \
	$(call tests,-p 2,$(PLAIN)) && exit $$wide

test-waiting: build
	$(call tests,-p 1,$(WAITING))

.PHONY: race
race: c-compiler ## repeat tests under the race detector to find rare races (PKG=./internal/kernel COUNT=5)
	CGO_ENABLED=1 scripts/with-postgres go test $(RACE) $(PARALLEL) -timeout 30m -count $(COUNT) -shuffle on $(PKG)

.PHONY: soak
soak: build ## run the long tests of kills, power cuts and WhatsApp failures, then a steady load on each engine (MINUTES=20 RATE=500): bench/soak-*.txt
	RECADO_FULL=1 scripts/with-postgres go test -v -count 1 -p 1 -timeout 120m ./test/crash ./test/powercut ./test/cluster/...
	RECADO_FULL=1 scripts/with-postgres go test -v -count 1 -timeout 60m -run Soak ./test/whatsapp
	scripts/with-postgres --durable go run -buildvcs=false ./bench soak -engine both -minutes $(MINUTES) -rate $(RATE)

.PHONY: cover
cover: ## measure test coverage: bin/cover.html
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
	GOGC=$(GC) go vet -tags nolinked ./internal/server ./cmd/recado
	GOGC=$(GC) go tool staticcheck ./...
	go mod tidy -diff
	go mod verify

# Both linters download their tools, so CI does not run them.
.PHONY: api-lint
api-lint: build ## check the OpenAPI documents with Redocly and Spectral (needs Node 20 and a network)
	scripts/api-lint

.PHONY: api-clients
api-clients: build web/node_modules ## generate clients from the OpenAPI documents with oapi-codegen, ogen and openapi-typescript, and run the programs from docs/clients.md with them (ARGS=--as-written: with the commands of that page)
	scripts/api-clients $(ARGS)

.PHONY: packaging-lint
packaging-lint: ## check the Dockerfile and the compose file with linters (needs Node 20 and a network)
	scripts/packaging-lint

.PHONY: api-answers
api-answers: web/node_modules ## validate the responses that tests stored in RECADO_TEST_ANSWERS against the OpenAPI document with ajv
	node web/scripts/answers.mjs '$(RECADO_TEST_ANSWERS)'

.PHONY: fuzz
fuzz: ## run every fuzz target, FUZZTIME (20s) each
	scripts/fuzz $(FUZZTIME)

.PHONY: bench
bench: build ## run benchmarks with reference measurements (ENGINE=sqlite|postgres|both ARGS="-run me -seconds 5")
	@case '$(ENGINE)' in \
		sqlite) go run -buildvcs=false ./bench -engine sqlite $(ARGS) ;; \
		postgres|both) scripts/with-postgres --durable go run -buildvcs=false ./bench -engine '$(ENGINE)' $(ARGS) ;; \
		*) echo "ENGINE is sqlite, postgres or both, not '$(ENGINE)'" >&2; exit 2 ;; \
	esac

.PHONY: bench-move
bench-move: build ## measure a move to PostgreSQL and back, a backup and a restore (ARGS="-messages 2000000")
	scripts/with-postgres --durable go run -buildvcs=false ./bench move $(ARGS)

.PHONY: bench-chatwoot
bench-chatwoot: build ## measure an import from Chatwoot (ARGS="-messages 1000000")
	scripts/with-postgres --durable go run -buildvcs=false ./bench chatwoot $(ARGS)

# The browser app. Its build is committed, so everything else needs only Go.
NPM := npm --prefix web

web/node_modules: web/package-lock.json
	@command -v npm >/dev/null || { echo "The browser app is built and tested with Node 20 or newer: https://nodejs.org" >&2; exit 1; }
	$(NPM) ci --no-audit --no-fund
	touch $@

.PHONY: web
web: web/node_modules ## build the browser app into web/dist (needs Node 20)
	$(NPM) run build

.PHONY: web-types
web-types: build web/node_modules ## generate the app's types from the API document (web/src/api/schema.d.ts)
	node web/scripts/schema.mjs

.PHONY: web-check
web-check: build web/node_modules ## check the browser app: types, lint, unit tests, and that web/dist matches the sources
	node web/scripts/schema.mjs --check
	$(NPM) run types & types=$$!; $(NPM) run lint; wait $$types
	$(NPM) test
	$(NPM) run build
	@[[ -z $$(git status --porcelain web/dist) ]] || { echo "web/dist does not match web/src: run 'make web' and commit it" >&2; git status --short web/dist >&2; exit 1; }

.PHONY: web-e2e
web-e2e: build web/node_modules ## test the browser app in Chromium against the real server on both engines (RECADO=binary CHROMIUM=browser ARGS="-t phone")
	scripts/with-postgres scripts/with-chromium $(NPM) run e2e -- $(ARGS)

.PHONY: screenshots
screenshots: build web/node_modules ## take the screenshots for the README from the demo (docs/images)
	scripts/with-chromium node web/scripts/screenshots.mjs

.PHONY: release
release: ## build the release archives for six platforms, with checksums and SBOMs: dist/
	rm -rf dist
	go run -buildvcs=false ./packaging/release -version '$(VERSION)' -time "$$(git log -1 --format=%ct)" -out dist

.PHONY: walk
walk: web/node_modules ## follow the documents: install a release as another user, set up in Chromium, back up, restore, move to PostgreSQL, upgrade
	scripts/walk-install

.PHONY: clean
clean: ## delete the build output, but not ./data
	rm -rf bin dist

# Only the race detector needs a C compiler.
.PHONY: c-compiler
c-compiler:
	@command -v "$$(go env CC)" >/dev/null || { \
		echo "The race detector needs a C compiler, and \"$$(go env CC)\" was not found. Install one:" >&2; \
		echo "  Debian, Ubuntu   apt-get install gcc libc6-dev" >&2; \
		echo "  Fedora           dnf install gcc" >&2; \
		echo "  Alpine           apk add gcc musl-dev" >&2; \
		exit 1; }
