# SPDX-License-Identifier: Apache-2.0
# The commands of daily life; CMake does the work. Each first installs what is missing (Debian and
# Ubuntu). `make` alone says what there is.

SHELL := /bin/bash
.DELETE_ON_ERROR:
.PHONY: help demo test build package bench answers estimates nightly format clean

help:
	@echo 'make demo     build, then the report of a tiled matrix multiply on an H200'
	@echo 'make test     build and run all tests; the last line counts them'
	@echo 'make build    build the program as build/warpsage'
	@echo 'make package  Debian packages in build-package/, the static program in build-static/'
	@echo 'make bench    measure the emulator on this CPU, next to PoCL and Oclgrind'
	@echo 'make answers  regenerate the whole outputs of every command (read the diff)'
	@echo 'make estimates regenerate the predictions for the bundled kernels (read the diff)'
	@echo 'make nightly  .ci/run, an hour of each fuzzer, 100,000 random programs, more of all'
	@echo 'make format   clang-format over the C sources'
	@echo 'make clean    remove all build folders'

build:
	@tools/install-deps.sh build
	@cmake --preset release -DWARPSAGE_TESTS=OFF --log-level=WARNING >/dev/null
	@cmake --build --preset release --target warpsage

demo: build
	build/warpsage analyze examples/kernels/sgemm_tiled/sgemm_tiled_512.yaml \
	    --gpu h200

package:
	@tools/install-deps.sh package
	@for preset in package static; do \
	    cmake --preset $$preset --log-level=WARNING >/dev/null && cmake --build --preset $$preset && \
	    cpack --preset $$preset >build-$$preset/cpack.log 2>&1 || { cat build-$$preset/cpack.log; exit 1; }; \
	done
	@ls -1 build-package/*.deb build-static/*.tar.xz

test:
	@tools/install-deps.sh test
	@tools/run-tests.sh release

bench:
	@tools/install-deps.sh build
	@cmake --preset release -DWARPSAGE_TESTS=OFF --log-level=WARNING >/dev/null
	@cmake --build --preset release --target bench_programs
	build/bench_check
	build/bench_compile
	build/bench_engine
	build/bench_measure
	build/bench_native
	build/bench_parse
	build/bench_power
	build/bench_run
	build/bench_texture
	build/bench_throughput

estimates: build
	python3 tests/estimates/run.py build/warpsage --write

answers: build
	python3 tests/answers/run.py build/warpsage --accept

nightly:
	@tools/install-deps.sh all
	@tools/nightly.sh

format:
	@tools/install-deps.sh all
	@tools/source-files.sh | xargs clang-format -i

clean:
	rm -rf build build-clang build-asan build-tsan build-package build-static
