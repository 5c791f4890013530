# make run    builds the program and lets the example team review this source tree
# make test   formatting, vet, staticcheck, all tests with the race detector
# Both need Go alone. What a test misses beyond that, it says by name.

GO          ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME    ?= 5s
PACKAGES    ?= ./...

# The race detector needs a C compiler.
RACE := $(if $(shell command -v gcc || command -v clang || command -v cc),-race,)

.PHONY: run build test lint check bench fuzz-short clean

run: build
	@./bin/swarm run examples/review --data .swarm "Review the packages of this project."
	@id=$$(./bin/swarm runs | sed -n '2s/ .*//p'); echo; ./bin/swarm show $$id | sed '/^Result:/,$$d'; \
	echo "Try next:"; \
	echo "  ./bin/swarm show $$id      all of this, and the files"; \
	echo "  ./bin/swarm events $$id    every step that was made"; \
	echo "  ./bin/swarm runs                           the runs so far"; \
	echo "and an own team: docs/quick-start.md"

build:
	$(GO) build -o bin/swarm ./cmd/swarm

test: lint check

lint:
	@unformatted="$$(gofmt -l .)"; if [ -n "$$unformatted" ]; then \
		echo "not formatted, run gofmt -w on:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet $(PACKAGES)
	$(GO) run $(STATICCHECK) $(PACKAGES)

check:
	@[ -n "$(RACE)" ] || echo "no C compiler: the tests run without the race detector"
	@command -v npm >/dev/null || { echo "no npm: the tests against the mock model server are skipped, in"; \
		grep -rl --include='*_test.go' 'StartAimock(' .; }
	@command -v prometheus >/dev/null && command -v promtool >/dev/null || { \
		echo "no prometheus: the tests with a real server are skipped, in"; \
		grep -rl --include='*_test.go' 'install the package prometheus' .; }
	@for tool in jq tree file column node; do [ -x "/usr/bin/$$tool" ] || \
		echo "no /usr/bin/$$tool: what is recorded of the real programs is taken as it is, in workspace/shell/userland"; done
	$(GO) test $(RACE) -shuffle=on -timeout 20m $(PACKAGES)

bench:
	$(GO) build -o bin/swarm-bench ./bench
	$(GO) test -run '^$$' -bench . -benchmem ./actors ./journal ./tooling ./metrics . ./cmd/swarm ./bench

# Each fuzz test of the module for a short time; one that fails stops the rest.
fuzz-short:
	@for file in $$(grep -rl --include='*_test.go' '^func Fuzz' .); do \
		for name in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$$file"); do \
			echo "$$name in $$(dirname "$$file")"; \
			$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" || exit 1; \
		done; \
	done

clean:
	rm -rf bin
