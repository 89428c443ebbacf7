# A thin front end to meson. As root on Debian, each target installs what it needs; otherwise it says
# what to install.
#
#   PREFIX, DESTDIR    where `make install` puts things
#   UNITY_DIR          a folder with Unity's sources, if it should not be fetched
#   MESON_FLAGS        more options, such as -Dsimd=avx2 -Dwerror=false (see meson_options.txt)

BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
export UNITY_DIR

configure = meson setup $(if $(wildcard $(1)/build.ninja),--reconfigure) $(1) --prefix=$(PREFIX) \
            $(if $(UNITY_DIR),-Dunity_dir=$(abspath $(UNITY_DIR))) $(MESON_FLAGS)
tested = meson test -C $(1) --print-errorlogs --num-processes $(JOBS) $(2); \
         status=$$?; .ci/summary $(1)/meson-logs/$(3).json && exit $$status
sources = $(shell find lib capi tests examples -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.inc')

.PHONY: all demo widths exchange-study benchmark mnist figures test test-mpich test-namespaces bench bench-ranks bench-scaling \
        bench-peers bench-compare r-package r-check install valgrind sanitize asan tsan msan abi fuzz coverage faults faults-ranks \
        test-aarch64 test-windows test-bits deb wheel format check-format tidy docs docs-check \
        docs-pictures clean help

all: $(BUILD)/build.ninja  ## build the library and the examples (the default)
	ninja -C $(BUILD) -j $(JOBS)

$(BUILD)/build.ninja:
	.ci/setup core
	$(call configure,$(BUILD))

demo: $(BUILD)/build.ninja  ## have chains thermalized? the paper's figure 1 on a small scale
	ninja -C $(BUILD) -j $(JOBS) examples/paper/demo
	$(BUILD)/examples/paper/demo --out out
	@if command -v rsvg-convert >/dev/null; then \
	    rsvg-convert -o out/demo.png out/demo.svg && echo "wrote out/demo.png"; fi

widths: $(BUILD)/build.ninja  ## how many hidden units? networks compared by their evidence
	ninja -C $(BUILD) -j $(JOBS) examples/benchmark/widths
	mkdir -p out && $(BUILD)/examples/benchmark/widths out/widths.svg
	@if command -v rsvg-convert >/dev/null; then \
	    rsvg-convert -o out/widths.png out/widths.svg && echo "wrote out/widths.png"; fi

exchange-study: $(BUILD)/build.ninja  ## do exchanges from the prior and from the teacher agree? (hours)
	ninja -C $(BUILD) -j $(JOBS) examples/paper/exchange_study
	for noise in 1e-3 1e-4; do $(BUILD)/examples/paper/exchange_study --noise $$noise; done
	for noise in 1e-3 1e-4; do $(BUILD)/examples/paper/exchange_study --inputs 50 --hidden 10 --rows 2084 \
	    --noise $$noise --seeds 12 --replicas 200 --seconds 600 --prior-only 1; done

benchmark: $(BUILD)/build.ninja  ## tables of data with recommended settings: DATA=folder; out/benchmark.md
	ninja -C $(BUILD) -j $(JOBS) examples/benchmark/tabular
	.ci/benchmark $(BUILD)/examples/benchmark/tabular $(JOBS) $(DATA)

mnist: $(BUILD)/build.ninja  ## fetch MNIST and sample the paper's networks for it (long)
	.ci/mnist
	ninja -C $(BUILD) -j $(JOBS) examples/paper/mnist_mlp examples/paper/mnist_cnn
	$(BUILD)/examples/paper/mnist_mlp
	$(BUILD)/examples/paper/mnist_cnn
	@if command -v rsvg-convert >/dev/null; then \
	    rsvg-convert -o out/mnist_mlp.png out/mnist_mlp.svg && \
	    rsvg-convert -o out/mnist_cnn.png out/mnist_cnn.svg; fi

figures: $(BUILD)/build.ninja  ## the paper's figures on a small scale, next to the paper's: out/figures, examples/paper/RESULTS.md
	-.ci/setup figures
	ninja -C $(BUILD) -j $(JOBS) examples/paper/figure1 examples/paper/figure2 examples/paper/figure3 examples/paper/comparison \
	    examples/paper/results
	rm -rf out/figures && mkdir -p out/figures  # full runs have their checkpoints elsewhere
	$(BUILD)/examples/paper/figure1 --out out/figures
	$(BUILD)/examples/paper/figure2 --out out/figures
	.ci/mnist && $(BUILD)/examples/paper/figure3 --out out/figures || echo "figure3 is skipped"
	$(BUILD)/examples/paper/comparison --out out/figures
	$(BUILD)/examples/paper/results --out out/figures >out/figures/RESULTS.md
	cp out/figures/RESULTS.md examples/paper/

test:  ## build and run all tests
	.ci/setup test languages
	$(call configure,$(BUILD)) -Dtests=enabled
	ninja -C $(BUILD) -j $(JOBS) all meson-test-prereq
	$(call tested,$(BUILD),,testlog)

test-mpich:  ## the tests of ranks with MPICH, and KILLS=100 killed ranks with either MPI
	.ci/setup mpich
	$(call configure,build-mpich) -Dtests=enabled -Dmpi=mpich
	meson test -C build-mpich --print-errorlogs --num-processes 1 --suite mpi
	$(call configure,$(BUILD)) -Dtests=enabled
	ninja -C $(BUILD) -j $(JOBS) tests/mpi/chains_job tests/mpi/rows_job
	for mpi in openmpi:$(BUILD) mpich:build-mpich; do for program in chains_job rows_job; do \
	    KILLS=$(or $(KILLS),100) DRAWS=100 tests/mpi/kill_test.sh mpirun.$${mpi%:*} \
	        $${mpi#*:}/tests/mpi/$$program || exit; \
	done; done

test-namespaces:  ## the tests of ranks, 2 to 4, each in its own network namespace (as root)
	.ci/setup mpich
	$(call configure,$(BUILD)) -Dtests=enabled -Dmpi=openmpi
	ninja -C $(BUILD) -j $(JOBS) tests/mpi/ranks tests/mpi/rows_job
	for program in tests/mpi/ranks tests/mpi/rows_job; do \
	    tests/mpi/netns_test.sh mpirun.openmpi $(BUILD)/$$program || exit; done

faults-ranks:  ## kill KILLS=100 ranks of a job at random moments, with chains and with rows over ranks
	.ci/setup test
	$(call configure,$(BUILD)) -Dtests=enabled
	ninja -C $(BUILD) -j $(JOBS) tests/mpi/chains_job tests/mpi/rows_job
	for program in chains_job rows_job; do \
	    KILLS=$(or $(KILLS),100) DRAWS=100 tests/mpi/kill_test.sh mpirun $(BUILD)/tests/mpi/$$program || exit; done

# BLAS, MPI and the other languages are left out: Debian cannot install them for other machines next to
# its own. The run names everything else that is skipped.
cross = $(call configure,build-$(1)) --cross-file .ci/cross/$(2).ini -Dtests=enabled -Dblas=none \
        -Dmpi=none -Dfortran=disabled -Dexamples=false
crossed = meson test -C $(1) --print-errorlogs --num-processes $(JOBS) --timeout-multiplier 30 $(2); \
          status=$$?; .ci/summary $(1)/meson-logs/testlog.json && exit $$status

test-aarch64:  ## unit, C API and statistical tests for 64-bit ARM, under qemu (an hour)
	.ci/setup aarch64
	$(call cross,aarch64,aarch64-linux-gnu)
	ninja -C build-aarch64 -j $(JOBS) all meson-test-prereq
	NNPOST_TEST_SHORT=1 $(call crossed,build-aarch64)

test-windows:  ## unit and C API tests for Windows on x86-64, under wine
	.ci/setup windows
	$(call cross,windows,x86_64-w64-mingw32)
	ninja -C build-windows -j $(JOBS) all meson-test-prereq
	if command -v R >/dev/null; then tests/bindings/windows_r.sh; else echo "no R: its package is not compiled"; fi
	WINEDEBUG=-all NNPOST_TEST_SHORT=1 $(call crossed,build-windows,--no-suite statistical --no-suite levels)

test-bits:  ## the same draws at the portable level: gcc, clang with libc++, musl, ARM, Windows; macOS's rules
	.ci/setup test aarch64 windows musl
	.ci/same-bits $(JOBS)
	tests/capi/macos_test.sh all

deb:  ## Debian packages of the library, checked by lintian: out/*.deb
	.ci/setup deb
	.ci/deb $(JOBS)

wheel:  ## a Python wheel with the library inside, and a source distribution: out/nnpost-*
	.ci/setup wheel
	.ci/wheel

bench:  ## time variates, steps and gradients against their floors, and the bindings against C
	.ci/setup test languages
	$(call configure,$(BUILD))
	ninja -C $(BUILD) -j $(JOBS) tests/bench
	mkdir -p out
	$(BUILD)/tests/bench out/bench.json
	meson test -C $(BUILD) --benchmark --verbose

bench-ranks:  ## two ranks against one and against two threads, rows and chains, a minute; quiet machine
	.ci/setup test
	$(call configure,$(BUILD)) -Dtests=enabled
	ninja -C $(BUILD) -j $(JOBS) tests/mpi/steps
	tests/mpi/steps.sh mpirun $(BUILD)/tests/mpi/steps

bench-peers:  ## gradients and NUTS beside PyTorch, Stan and R's nnet, minutes: [PEERS="--rounds 5 --draws 100"]
	.ci/setup peers
	$(call configure,$(BUILD))
	ninja -C $(BUILD) -j $(JOBS)
	NNPOST_LIBRARY=$(abspath $(BUILD))/capi/libnnpost.so PYTHONPATH=bindings/python \
	    /usr/bin/python3 -B tests/bench/peers.py $(PEERS)

r-package: $(BUILD)/build.ninja  ## a source package for R with the core in it: out/nnpost_*.tar.gz
	.ci/setup core r
	ninja -C $(BUILD) -j $(JOBS) r-package
	mkdir -p out
	cp $(BUILD)/bindings/r/nnpost_*.tar.gz out/

r-check: r-package  ## R CMD check --as-cran of that package, with its manual by TeX: no error, warning or note
	.ci/setup cran
	CRAN=1 tests/bindings/check_r.sh out/nnpost_*.tar.gz

bench-scaling:  ## how a step's time grows with rows, width and depth; out/bench-scaling.json
	.ci/setup test
	$(call configure,$(BUILD))
	ninja -C $(BUILD) -j $(JOBS) tests/bench
	mkdir -p out
	$(BUILD)/tests/bench out/bench-scaling.json scaling

bench-compare:  ## the change against another revision, run alternately: BASE=rev [GROUPS="gibbs …"]
	.ci/setup test
	$(call configure,$(BUILD))
	ninja -C $(BUILD) -j $(JOBS) tests/bench
	MESON_FLAGS="$(MESON_FLAGS)" .ci/bench-compare $(BUILD)/tests/bench "$(BASE)" "$(JOBS)" \
	    $(or $(GROUPS),variates gibbs images gradient)

install:  ## install under DESTDIR/PREFIX
	.ci/setup core
	$(call configure,$(BUILD))
	ninja -C $(BUILD) -j $(JOBS)
	meson install -C $(BUILD) --no-rebuild $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))

valgrind:  ## run the tests under valgrind
	.ci/setup check
	$(call configure,$(BUILD)) -Dtests=enabled
	$(call tested,$(BUILD),--setup valgrind,testlog-valgrind)

sanitizers = -Dtests=enabled -Dbuildtype=debugoptimized -Db_sanitize=address,undefined \
             -Db_lundef=false

# gcc and clang each find bugs that the other misses. Fortran would mix gcc's run-time with clang's.
sanitize:  ## run the tests with address and undefined-behaviour sanitizers, of gcc and of clang
	.ci/setup sanitize
	$(call configure,build-sanitize) $(sanitizers)
	$(call tested,build-sanitize,--setup sanitize,testlog-sanitize)
	CC=clang-14 CXX=clang++-14 $(call configure,build-sanitize-clang) $(sanitizers) \
	    -Dfortran=disabled
	$(call tested,build-sanitize-clang,--setup sanitize,testlog-sanitize)

fuzz:  ## look for bugs with libFuzzer: TIME=60 seconds per target, all at once [TARGETS="sequence …"]
	.ci/setup sanitize
	.ci/fuzz "$(or $(TIME),60)" "$(JOBS)" $(TARGETS)

# Lines: of what the corpus runs, and of what all tests of the core run, in their short form.
coverage:  ## lines of lib/ and capi/ that the fuzzers' corpus runs, and of lib/ that the tests run
	.ci/setup test
	$(call configure,build-coverage) -Dtests=enabled -Db_coverage=true -Dbuildtype=debug \
	    -Doptimization=1 -Dfortran=disabled -Dr=disabled -Dexamples=false
	ninja -C build-coverage -j $(JOBS) all meson-test-prereq
	find build-coverage -name '*.gcda' -delete
	for name in sequence blocks; do \
	    build-coverage/tests/fuzz/fuzz_$$name tests/fuzz/corpus/$$name || exit; done
	.ci/coverage build-coverage lib,capi 90
	NNPOST_TEST_SHORT=1 meson test -C build-coverage --print-errorlogs --num-processes $(JOBS) \
	    --timeout-multiplier 10 --suite unit --suite capi --suite statistical
	.ci/coverage build-coverage lib 95

faults:  ## failures of memory, threads and disks at every call; and KILLS=1000 SIGKILLs of a run
	.ci/setup test
	$(call configure,$(BUILD)) -Dtests=enabled
	ninja -C $(BUILD) -j $(JOBS) tests/faults/libfaults.so examples/paper/figure2
	tests/faults/faults_test.sh $(BUILD)/tests/faults/libfaults.so $(BUILD)/examples/paper/figure2 1000
	KILLS=$(or $(KILLS),1000) BUDGET=300 tests/examples/resume_test.sh $(BUILD)/examples/paper/figure2

abi:  ## record the current structs, constants and functions as the ABI to keep
	.ci/setup test
	tests/abi/layout.py capi tests/abi/layout.c --renew
	$(call configure,$(BUILD)) -Dtests=enabled
	ninja -C $(BUILD) -j $(JOBS) abi

asan: sanitize  ## short for sanitize

races = -Dtests=enabled -Dbuildtype=debugoptimized -Db_sanitize=thread -Db_lundef=false
raced = --setup tsan --suite unit --suite capi

tsan:  ## run the tests that use threads with the thread sanitizers of gcc and of clang
	.ci/setup sanitize
	$(call configure,build-tsan) $(races) -Dfortran=disabled
	$(call tested,build-tsan,$(raced),testlog-tsan)
	CC=clang-14 CXX=clang++-14 $(call configure,build-tsan-clang) $(races) -Dfortran=disabled
	$(call tested,build-tsan-clang,$(raced),testlog-tsan)

# BLAS is not instrumented: values it writes would count as uninitialized. Nor can the sanitizer tell which
# lanes of a vector are used: unused ones may hold anything. The fuzzers use strings of libstdc++, which is
# not instrumented either.
msan:  ## look for uninitialized values, with clang's memory sanitizer and our kernels only
	.ci/setup sanitize
	CC=clang-14 CXX=clang++-14 $(call configure,build-msan) -Dtests=enabled -Dblas=none -Dsimd=portable \
	    -Dbuildtype=debugoptimized -Db_sanitize=memory -Db_lundef=false -Dfortran=disabled
	$(call tested,build-msan,--setup msan --suite capi,testlog-msan)

format:  ## format the sources with clang-format
	.ci/setup check
	clang-format -i $(sources)

check-format:  ## report sources that clang-format would change
	.ci/setup check
	clang-format --dry-run --Werror $(sources)

tidy:  ## clang-tidy with the checks of .clang-tidy, long: [FILES="lib/sampler/chain.cpp …"]
	.ci/setup sanitize tidy
	CC=clang-14 CXX=clang++-14 $(call configure,build-tidy) -Dfortran=disabled -Dtests=disabled -Dmpi=none
	printf '%s\n' $(or $(FILES),$(filter-out %_neon.cpp,$(wildcard capi/*.cpp lib/*/*.cpp))) | \
	    xargs -P $(JOBS) -n 1 clang-tidy-14 --quiet -p build-tidy

docs:  ## the manual: out/manual/html/index.html, man pages in out/manual/man3 and man7
	.ci/setup core
	python3 capi/manual/generate.py --strict out/manual
	@echo "wrote out/manual/html/index.html; man -M out/manual nnpost"

docs-check: docs  ## the manual in a browser: script errors, search, width on a phone; out/manual/screens
	.ci/setup browser
	tests/manual/browser_test.py out/manual/html out/manual/screens

docs-pictures: all  ## redraw the pictures of the manual, a minute
	.ci/setup core languages
	NNPOST_LIBRARY=$(abspath $(BUILD))/capi/libnnpost.so PYTHONPATH=bindings/python \
	    /usr/bin/python3 -B capi/manual/pictures.py

clean:  ## remove everything built
	rm -rf build build-* $(BUILD) out

help:  ## list the targets
	@sed -n -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 24
