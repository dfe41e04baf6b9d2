# SPDX-License-Identifier: BSD-3-Clause
# The manual and the completion of shells are made from the tables that the debugger reads.
MANUAL = doc/dvmdbg.1 doc/dvmdbg.5 doc/COMMANDS.md doc/FROM-GDB.md
noinst_PROGRAMS += doc/manual
doc_manual_SOURCES = doc/manual.c
doc_manual_CPPFLAGS = $(FRONTEND_CPPFLAGS)
doc_manual_LDADD = $(FRONTEND_LIBS)
man_MANS = doc/dvmdbg.1 doc/dvmdbg.5
dist_man_MANS += doc/dvmdbg-cc.1 doc/dvmdbg-fc.1
doc_DATA = doc/COMMANDS.md doc/FROM-GDB.md
dist_doc_DATA = doc/GLOSSARY.md doc/HPD.md doc/hpdinit.sample
# With their faults (--fault list), to be built by who has it installed.
examplesdir = $(docdir)/examples
dist_examples_DATA = doc/examples/cg.c doc/examples/device.cu doc/examples/heat.c doc/examples/jacobi.f90 doc/examples/lu.f90 \
	doc/examples/multiblock.c doc/examples/ring.c doc/examples/stagger.f90 doc/examples/tape.c
bashcompletiondir = $(datadir)/bash-completion/completions
bashcompletion_DATA = doc/completion/dvmdbg
zshcompletiondir = $(datadir)/zsh/site-functions
zshcompletion_DATA = doc/completion/_dvmdbg
EXTRA_DIST += $(MANUAL:=.in)
CLEANFILES += $(MANUAL) $(bashcompletion_DATA) $(zshcompletion_DATA)

$(MANUAL): doc/manual$(EXEEXT)
	$(AM_V_GEN)doc/manual$(EXEEXT) $(srcdir)/$@.in >$@.new && mv -f $@.new $@
doc/dvmdbg.1: doc/dvmdbg.1.in
doc/dvmdbg.5: doc/dvmdbg.5.in
doc/COMMANDS.md: doc/COMMANDS.md.in
doc/FROM-GDB.md: doc/FROM-GDB.md.in

doc/completion/dvmdbg: frontend/dvmdbg$(EXEEXT)
	$(AM_V_at)$(MKDIR_P) doc/completion
	$(AM_V_GEN)frontend/dvmdbg$(EXEEXT) --completion bash >$@.new && mv -f $@.new $@
doc/completion/_dvmdbg: frontend/dvmdbg$(EXEEXT)
	$(AM_V_at)$(MKDIR_P) doc/completion
	$(AM_V_GEN)frontend/dvmdbg$(EXEEXT) --completion zsh >$@.new && mv -f $@.new $@

EXTRA_DIST += doc/ARCHITECTURE.md doc/WIRE.md doc/HOWTO-ADD.md doc/BENCHMARKS.md doc/REFERENCE.md doc/TRACE.md doc/DVM.md \
	doc/TUI.md doc/pictures

# The examples are linked as a user's program is; -no-install keeps libtool from making scripts of them.
EXAMPLE_CPPFLAGS = -I$(top_srcdir)/runtime -I$(top_srcdir) -D_GNU_SOURCE
EXAMPLE_CFLAGS = -std=gnu11 $(WARN_CFLAGS) $(SANITIZE_CFLAGS)
EXAMPLE_LINK = -no-install $(SANITIZE_CFLAGS)

if HAVE_MPI
noinst_PROGRAMS += doc/examples/heat
endif
doc_examples_heat_SOURCES = doc/examples/heat.c
doc_examples_heat_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPI_CFLAGS)
doc_examples_heat_CFLAGS = $(EXAMPLE_CFLAGS)
doc_examples_heat_LDFLAGS = $(EXAMPLE_LINK)
doc_examples_heat_LDADD = runtime/libdvmdbg.la $(MPI_LIBS) -lm

if HAVE_BOTH
noinst_PROGRAMS += doc/examples/heat-mpich
endif
doc_examples_heat_mpich_SOURCES = doc/examples/heat.c
doc_examples_heat_mpich_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPICH_CFLAGS)
doc_examples_heat_mpich_CFLAGS = $(EXAMPLE_CFLAGS)
doc_examples_heat_mpich_LDFLAGS = $(EXAMPLE_LINK)
doc_examples_heat_mpich_LDADD = runtime/libdvmdbg.la $(MPICH_LIBS) -lm

if HAVE_MPI
noinst_PROGRAMS += doc/examples/cg
endif
doc_examples_cg_SOURCES = doc/examples/cg.c
doc_examples_cg_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPI_CFLAGS)
doc_examples_cg_CFLAGS = $(EXAMPLE_CFLAGS)
doc_examples_cg_LDFLAGS = $(EXAMPLE_LINK)
doc_examples_cg_LDADD = runtime/libdvmdbg.la $(MPI_LIBS) -lm

if HAVE_BOTH
noinst_PROGRAMS += doc/examples/cg-mpich
endif
doc_examples_cg_mpich_SOURCES = doc/examples/cg.c
doc_examples_cg_mpich_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPICH_CFLAGS)
doc_examples_cg_mpich_CFLAGS = $(EXAMPLE_CFLAGS)
doc_examples_cg_mpich_LDFLAGS = $(EXAMPLE_LINK)
doc_examples_cg_mpich_LDADD = runtime/libdvmdbg.la $(MPICH_LIBS) -lm

if HAVE_MPI
noinst_PROGRAMS += doc/examples/multiblock
endif
doc_examples_multiblock_SOURCES = doc/examples/multiblock.c
doc_examples_multiblock_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPI_CFLAGS)
doc_examples_multiblock_CFLAGS = $(EXAMPLE_CFLAGS)
doc_examples_multiblock_LDFLAGS = $(EXAMPLE_LINK)
doc_examples_multiblock_LDADD = runtime/libdvmdbg.la $(MPI_LIBS) -lm

if HAVE_BOTH
noinst_PROGRAMS += doc/examples/multiblock-mpich
endif
doc_examples_multiblock_mpich_SOURCES = doc/examples/multiblock.c
doc_examples_multiblock_mpich_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPICH_CFLAGS)
doc_examples_multiblock_mpich_CFLAGS = $(EXAMPLE_CFLAGS)
doc_examples_multiblock_mpich_LDFLAGS = $(EXAMPLE_LINK)
doc_examples_multiblock_mpich_LDADD = runtime/libdvmdbg.la $(MPICH_LIBS) -lm

if HAVE_MPI
noinst_PROGRAMS += doc/examples/ring
endif
doc_examples_ring_SOURCES = doc/examples/ring.c
doc_examples_ring_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPI_CFLAGS)
doc_examples_ring_CFLAGS = $(EXAMPLE_CFLAGS)
doc_examples_ring_LDFLAGS = $(EXAMPLE_LINK)
doc_examples_ring_LDADD = runtime/libdvmdbg.la $(MPI_LIBS) -lm

if HAVE_BOTH
noinst_PROGRAMS += doc/examples/ring-mpich
endif
doc_examples_ring_mpich_SOURCES = doc/examples/ring.c
doc_examples_ring_mpich_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPICH_CFLAGS)
doc_examples_ring_mpich_CFLAGS = $(EXAMPLE_CFLAGS)
doc_examples_ring_mpich_LDFLAGS = $(EXAMPLE_LINK)
doc_examples_ring_mpich_LDADD = runtime/libdvmdbg.la $(MPICH_LIBS) -lm

# In Fortran the user's compiler makes the module from its source, so ours does too.
LU = $(srcdir)/runtime/dvmdbg.f90 $(srcdir)/doc/examples/lu.f90
JACOBI = $(srcdir)/runtime/dvmdbg.f90 $(srcdir)/doc/examples/jacobi.f90
STAGGER = $(srcdir)/runtime/dvmdbg.f90 $(srcdir)/doc/examples/stagger.f90
FORTRAN_LIBS = -Lruntime/.libs -ldvmdbg -Wl,-rpath,$(abs_builddir)/runtime/.libs

doc/examples/jacobi: $(JACOBI) runtime/libdvmdbg.la
	$(AM_V_at)$(MKDIR_P) doc/examples/openmpi.mod
	$(AM_V_GEN)$(OPENMPI_FC) $(FCFLAGS) $(SANITIZE_CFLAGS) -J doc/examples/openmpi.mod $(JACOBI) -o $@ $(FORTRAN_LIBS)
doc/examples/jacobi-mpich: $(JACOBI) runtime/libdvmdbg.la
	$(AM_V_at)$(MKDIR_P) doc/examples/mpich.mod
	$(AM_V_GEN)$(MPICH_FC) $(FCFLAGS) $(SANITIZE_CFLAGS) -J doc/examples/mpich.mod $(JACOBI) -o $@ $(FORTRAN_LIBS)
doc/examples/lu: $(LU) runtime/libdvmdbg.la
	$(AM_V_at)$(MKDIR_P) doc/examples/lu-openmpi.mod
	$(AM_V_GEN)$(OPENMPI_FC) $(FCFLAGS) $(SANITIZE_CFLAGS) -J doc/examples/lu-openmpi.mod $(LU) -o $@ $(FORTRAN_LIBS)
doc/examples/lu-mpich: $(LU) runtime/libdvmdbg.la
	$(AM_V_at)$(MKDIR_P) doc/examples/lu-mpich.mod
	$(AM_V_GEN)$(MPICH_FC) $(FCFLAGS) $(SANITIZE_CFLAGS) -J doc/examples/lu-mpich.mod $(LU) -o $@ $(FORTRAN_LIBS)
doc/examples/stagger: $(STAGGER) runtime/libdvmdbg.la
	$(AM_V_at)$(MKDIR_P) doc/examples/stagger-openmpi.mod
	$(AM_V_GEN)$(OPENMPI_FC) $(FCFLAGS) $(SANITIZE_CFLAGS) -J doc/examples/stagger-openmpi.mod $(STAGGER) -o $@ $(FORTRAN_LIBS)
doc/examples/stagger-mpich: $(STAGGER) runtime/libdvmdbg.la
	$(AM_V_at)$(MKDIR_P) doc/examples/stagger-mpich.mod
	$(AM_V_GEN)$(MPICH_FC) $(FCFLAGS) $(SANITIZE_CFLAGS) -J doc/examples/stagger-mpich.mod $(STAGGER) -o $@ $(FORTRAN_LIBS)

if HAVE_OPENMPI_FC
noinst_DATA += doc/examples/jacobi doc/examples/lu doc/examples/stagger
endif
if HAVE_MPICH_FC
noinst_DATA += doc/examples/jacobi-mpich doc/examples/lu-mpich doc/examples/stagger-mpich
endif
CLEANFILES += doc/examples/jacobi doc/examples/jacobi-mpich doc/examples/openmpi.mod/*.mod \
	doc/examples/mpich.mod/*.mod doc/examples/lu doc/examples/lu-mpich \
	doc/examples/lu-openmpi.mod/*.mod doc/examples/lu-mpich.mod/*.mod doc/examples/stagger doc/examples/stagger-mpich \
	doc/examples/stagger-openmpi.mod/*.mod doc/examples/stagger-mpich.mod/*.mod
