# One menu for everything. `make help` lists it.
PYTHON ?= python3
CXX ?= g++
VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
SOURCES := $(shell find core bindings src CMakeLists.txt pyproject.toml -type f -not -name '*.pyc')
JOBS ?= 2
TEST ?= tests src
TIDY ?= clang-tidy

.DEFAULT_GOAL := help
.PHONY: help tools build demo test test-python test-cpp test-long bench bench-off bench-check bench-predict bench-tables bench-scaling bench-threads bench-recipes bench-files bench-importance gallery docs sanitize lint format stub clean tidy bench-impute bench-oob bench-proximity bench-uncertainty bench-embedding bench-explain bench-network bench-patches

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

tools:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "silvics needs Python 3.11 or newer as '$(PYTHON)' (set PYTHON=...)."; exit 1; }
	@echo 'int main() { auto f = []<class T>(T x) { return x; }; return f(0); }' | \
	  $(CXX) -std=c++20 -x c++ -fsyntax-only - 2>/dev/null || \
	  { echo "silvics needs a C++20 compiler as '$(CXX)' (set CXX=..., for example g++ 11 or newer)."; exit 1; }

$(VENV)/.created: | tools
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --upgrade 'pip>=25.1' 2>&1 | grep -v WARNING || true
	@touch $@

# The package alone, built from these files.
$(VENV)/.built: $(VENV)/.created $(SOURCES)
	$(BIN)/pip install -q '.[report]' 2>&1 | { grep -v WARNING || true; }
	@$(PY) -c 'import silvics'
	@touch $@

# What tests and checks need besides.
$(VENV)/.dev: $(VENV)/.created pyproject.toml
	$(BIN)/pip install -q --group dev 2>&1 | { grep -v WARNING || true; }
	@touch $@

build: $(VENV)/.built  ## build and install the package into .venv

demo: $(VENV)/.built  ## write a report on a bundled table, and print its summary
	$(PY) -m silvics.demo build/demo

test: test-cpp test-python  ## all tests that CI runs (under 20 minutes)

test-python: $(VENV)/.built $(VENV)/.dev
	$(BIN)/pytest -n $(JOBS) $(TEST)

# The tests link the core that was built for the package.
test-cpp: $(VENV)/.built $(VENV)/.dev
	$(BIN)/cmake -S . -B build/cpp -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  -DSILVICS_PYTHON=OFF -DSILVICS_TESTS=ON \
	  -DSILVICS_CORE_LIBRARY=$(abspath $(firstword $(shell ls -t build/*/libsilvics_core.a 2>/dev/null))) \
	  > build/cpp.log 2>&1 || { cat build/cpp.log; exit 1; }
	$(BIN)/cmake --build build/cpp
	build/cpp/tests/cpp/silvics_tests

test-long: $(VENV)/.built $(VENV)/.dev  ## ten minutes of fuzzing, statistical studies (DATA=folder of Parquet files); writes docs/studies
	$(BIN)/pip install -q --group fuzz 2>&1 | { grep -v WARNING || true; }
	$(PY) fuzz/load_model.py -max_total_time=600 fuzz/corpus
	$(PY) benchmarks/importance_study.py --write docs/studies/importance_bias.md
	$(PY) benchmarks/kinds_study.py --write docs/studies/test_kinds.md
	$(PY) benchmarks/accuracy_study.py $(DATA) --write docs/studies/accuracy.md

bench: $(VENV)/.built $(VENV)/.dev  ## time against other libraries, one run (DATA=folder of Parquet files); writes docs/studies
	$(PY) benchmarks/peers.py --write docs/studies/speed.md $(if $(DATA),--data $(DATA))

bench-off: $(VENV)/.built $(VENV)/.dev  ## time on tasks that benchmarks leave out, against other libraries; writes docs
	$(PY) benchmarks/off_the_beaten_path.py --write docs/studies/off_the_beaten_path.md

bench-check: $(VENV)/.built $(VENV)/.dev  ## the same on fewer rows, in a few minutes: lists the tasks that fall short
	$(PY) benchmarks/off_the_beaten_path.py --check

bench-predict: $(VENV)/.built $(VENV)/.dev  ## time of prediction against other libraries; writes docs/studies
	$(PY) benchmarks/predicting.py --write docs/studies/prediction_speed.md $(if $(DATA),--data $(DATA))

bench-tables: $(VENV)/.built $(VENV)/.dev  ## categories and missing values against other libraries (DATA=folder of Parquet files); writes docs/studies
	$(PY) benchmarks/real_tables.py $(DATA) --adult-speed --write docs/studies/real_tables.md
	$(PY) benchmarks/knocked_out.py $(DATA) --write docs/studies/knocked_out.md

bench-scaling: $(VENV)/.built $(VENV)/.dev  ## Figures 5.4 to 5.8 and their findings at the scale of the thesis; writes docs/book/results
	$(PY) -m silvics.cli reproduce figure-5.4 figure-5.5 figure-5.6 figure-5.7 figure-5.8 --scale paper --jobs 1 --out docs/book/results

.PHONY: bench-orders bench-cost
bench-orders: $(VENV)/.built $(VENV)/.dev  ## orders of Table 5.1, fitted to counters of the work; writes docs/studies
	$(PY) benchmarks/orders.py --write docs/studies/orders.md

bench-cost: $(VENV)/.built $(VENV)/.dev  ## predicted and measured cost of fits; writes docs/studies
	$(PY) benchmarks/cost.py --write docs/studies/cost.md

bench-threads: $(VENV)/.built  ## many trees and one tree on 1, 2, 4 ... threads
	$(PY) benchmarks/threads.py

bench-recipes: $(VENV)/.built $(VENV)/.dev  ## every recipe on real tables (DATA=folder of Parquet files), consistency; writes docs
	$(PY) benchmarks/recipes_page.py docs/recipes.md
	$(PY) benchmarks/recipes_study.py $(DATA) --write docs/studies/recipes.md
	$(PY) benchmarks/consistency.py --write docs/studies/consistency.md

bench-files: $(VENV)/.built $(VENV)/.dev  ## size of model files and time to load them, against joblib; writes docs
	$(PY) benchmarks/model_files.py --write docs/studies/model_files.md

bench-impute: $(VENV)/.built $(VENV)/.dev  ## imputation against other libraries (DATA=folder of Parquet files); writes docs
	$(PY) benchmarks/imputation.py $(DATA) --write docs/studies/imputation.md

bench-importance: $(VENV)/.built $(VENV)/.dev  ## time of exact importances, by sets and by trees; writes docs
	$(PY) benchmarks/importances.py --write docs/studies/importances.md

bench-oob: $(VENV)/.built $(VENV)/.dev  ## out-of-bag error beside cross-validation (DATA=folder of Parquet files); writes docs/studies
	$(PY) benchmarks/oob_study.py $(DATA) --write docs/studies/out_of_bag.md

.PHONY: bench-tune
bench-tune: $(VENV)/.built $(VENV)/.dev  ## tuned forests against default ones and boosted trees (DATA=folder of Parquet files); writes docs/studies
	$(PY) benchmarks/tuning_study.py $(DATA) --write docs/studies/tuning.md

.PHONY: bench-candidates
bench-candidates: $(VENV)/.built $(VENV)/.dev  ## oblique, residual and local linear forests, target statistics (DATA=folder of Parquet files); writes docs/studies
	$(PY) benchmarks/candidates_study.py $(DATA) --write docs/studies/candidates.md

bench-patches: $(VENV)/.built $(VENV)/.dev  ## forests on patches of files larger than max_memory; writes its data and docs/studies
	$(PY) benchmarks/patches.py build/patches --write docs/studies/patches.md

bench-network: $(VENV)/.built $(VENV)/.dev  ## GENIE3 on DREAM4, against scikit-learn (DATA=folder of Parquet files); writes docs/studies
	$(PY) benchmarks/networks.py $(DATA) --write docs/studies/networks.md

bench-proximity: $(VENV)/.built $(VENV)/.dev  ## time and memory of neighbours and proximities, against SciPy; writes docs/studies
	$(PY) benchmarks/proximities.py --write docs/studies/proximities.md

bench-uncertainty: $(VENV)/.built $(VENV)/.dev  ## coverage, calibration, quantiles (DATA=folder of Parquet files); writes docs/studies
	$(PY) benchmarks/uncertainty.py $(DATA) --write docs/studies/uncertainty.md

bench-embedding: $(VENV)/.built $(VENV)/.dev  ## linear models on the leaves of forests (DATA=folder of Parquet files); writes docs/studies
	$(PY) benchmarks/embedding_study.py $(DATA) --write docs/studies/embedding.md

bench-explain: $(VENV)/.built $(VENV)/.dev  ## time of Shapley values and dependence, against shap and scikit-learn; writes docs/studies
	$(PY) benchmarks/explanations.py --write docs/studies/explanations.md

.PHONY: bench-search bench-implementations
bench-search: $(VENV)/.built $(VENV)/.dev  ## the ways to search for splits of section 5.3.4; writes docs/studies
	$(PY) benchmarks/search_study.py --write docs/studies/search.md

bench-implementations: $(VENV)/.built $(VENV)/.dev  ## Tables 5.4 and 5.5 against libraries of Python, R and Java (DATA=folder of Parquet files); writes docs/studies
	$(BIN)/pip install -q 'opencv-python-headless<5' ydf scikit-learn-intelex || true
	$(PY) benchmarks/implementations.py $(DATA) --write docs/studies/implementations.md

gallery: $(VENV)/.built $(VENV)/.dev  ## worked examples with pictures (DATA=folder of Parquet files); writes docs/gallery
	$(PY) docs/gallery/importances_led.py
	$(PY) docs/gallery/importances_nursery.py $(DATA)
	$(PY) docs/gallery/importances_strobl.py
	$(PY) docs/gallery/importances_genes.py $(DATA)
	$(PY) docs/gallery/network_dream4.py $(DATA)
	$(PY) docs/gallery/inspection_digits.py
	$(PY) docs/gallery/imputation.py
	$(PY) docs/gallery/reports.py

$(VENV)/.docs: $(VENV)/.created pyproject.toml
	$(BIN)/pip install -q --group docs 2>&1 | { grep -v WARNING || true; }
	@touch $@

docs: $(VENV)/.built $(VENV)/.docs  ## the documentation site, into build/docs
	$(BIN)/sphinx-build -W --keep-going -q -j $(JOBS) -d build/doctrees docs build/docs

sanitize: $(VENV)/.dev  ## address, undefined and thread sanitizers
	PATH="$(abspath $(BIN)):$$PATH" bash tests/sanitize.sh

lint: $(VENV)/.built $(VENV)/.dev  ## ruff, mypy, clang-format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	find core bindings tests/cpp -name '*.?pp' -not -path '*/third_party/*' | xargs $(BIN)/clang-format --dry-run -Werror

tidy: $(VENV)/.dev  ## clang-tidy on the core (needs clang-tidy 16 or newer; TIDY=its name)
	$(BIN)/cmake --preset release -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) > /dev/null
	find core -name '*.cpp' | xargs -n 1 -P $(JOBS) $(TIDY) --quiet -p build/release

format: $(VENV)/.dev  ## rewrite all files in one style
	$(BIN)/ruff check --fix-only -q .
	$(BIN)/ruff format .
	find core bindings tests/cpp -name '*.?pp' -not -path '*/third_party/*' | xargs $(BIN)/clang-format -i

stub: $(VENV)/.built $(VENV)/.dev  ## write the stub of the native module again
	$(PY) -m nanobind.stubgen -q -m silvics._core -o src/silvics/_core.pyi
	$(BIN)/ruff format -q src/silvics/_core.pyi

clean:  ## remove everything that was built
	rm -rf $(VENV) build
