# make run    builds the program and lets the example team review this source tree
# make test   formatting, vet, staticcheck, all tests with the race detector
# Both need Go alone. Tests that need Node.js say so by name when it is missing.

GO          ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME    ?= 5s
PACKAGES    ?= ./...

.PHONY: run build test check lint bench fuzz-short clean

run: build
	./bin/swarm run examples/review "Review the packages of this project."

build:
	$(GO) build -o bin/swarm ./cmd/swarm

test: lint check

check:
	$(GO) test -race -shuffle=on -timeout 20m $(PACKAGES)

lint:
	@unformatted="$$(gofmt -l .)"; if [ -n "$$unformatted" ]; then \
		echo "not formatted, run gofmt -w on:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet $(PACKAGES)
	$(GO) run $(STATICCHECK) $(PACKAGES)

bench:
	$(GO) build -o bin/swarm-bench ./bench
	$(GO) test -run '^$$' -bench . -benchmem ./actors ./journal ./tooling ./bench

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
