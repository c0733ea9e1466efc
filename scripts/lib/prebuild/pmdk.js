'use strict'

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { InstallError } = require('../install-error')
const { openDebian } = require('./debian')
const { checkDigest } = require('./zig')

const VERSION = '1.13.1'
const TARBALL = `pmdk_${VERSION}.orig.tar.gz`
const DIGEST = 'd5e5eded825cd6d742ec836352001e8cb262e428926e767f55498f16c2d977e1'

/** The files of libpmemobj and of libpmem inside it, as their Makefiles list them for Linux without ndctl. */
const SOURCES = {
  libpmemobj: 'alloc_class bucket container_ravl container_seglists critnib ctl_debug heap lane libpmemobj list memblock memops obj palloc pmalloc recycler stats sync tx ulog',
  core: 'alloc membuf os_posix os_thread_posix out ravl ravl_interval util util_posix',
  common: 'bad_blocks set_badblocks ctl ctl_cow ctl_fallocate ctl_prefault ctl_sds file file_posix mmap mmap_posix os_deep_linux pool_hdr rand set shutdown_state uuid uuid_linux',
  libpmem2: 'auto_flush_linux badblocks badblocks_none config deep_flush_linux errormsg extent_linux memops_generic numa_none persist_posix pmem2_utils pmem2_utils_linux pmem2_utils_none region_namespace_none source source_posix usc_none',
  libpmem: 'libpmem pmem pmem_posix'
}

/** Flags of the files that copy and fill by newer instructions. The library chooses among them at run time. */
const FAST = { sse2: [], avx: ['-mavx'], avx512f: ['-mavx512f', '-mevex512'], movdir64b: ['-mavx', '-mavx512f', '-mevex512', '-mmovdir64b'] }

/**
 * Fetches PMDK's source as Debian has it.
 *
 * @param {string} cache a folder
 * @param {(text: string) => void} say
 * @returns {string} the folder of the source
 */
function fetchPmdk (cache, say) {
  const folder = path.join(cache, `pmdk-${VERSION}`)
  if (fs.existsSync(folder)) return folder
  say(`fetching PMDK ${VERSION}`)
  const run = openDebian(cache, 'deb-src', [])
  // A signature or a patch of Debian's that cannot be had does not matter: the digest below is of what is used.
  run('source', '--download-only', 'pmdk')
  if (!fs.existsSync(path.join(cache, TARBALL))) throw new InstallError(`apt-get has not fetched ${TARBALL}, see above.`)
  checkDigest(path.join(cache, TARBALL), DIGEST)
  if (spawnSync('tar', ['-xzf', TARBALL], { cwd: cache, stdio: ['ignore', 2, 2] }).status !== 0) throw new InstallError(`${TARBALL} could not be unpacked, see above.`)
  return folder
}

/**
 * @param {import('./compiler').Compiler} compiler
 * @param {string} folder of the source
 * @returns {Promise<string[]>} the objects to link
 */
function buildPmdk (compiler, folder) {
  const src = path.join(folder, 'src')
  const flags = commonFlags(src, compiler.cpu)
  const named = Object.entries(SOURCES).flatMap(([group, names]) => names.split(' ').map(name => path.join(src, group, `${name}.c`)))
  const units = [...named, directorySource(src, compiler.platform.libc), path.join(src, 'libpmem2', compiler.cpu, 'init.c')]
    .map(source => ({ source, flags }))
  return compiler.compile('pmdk', compiler.cpu === 'x86_64' ? [...units, ...fastUnits(src, flags)] : units)
}

/** @param {string} src @param {string} cpu */
function commonFlags (src, cpu) {
  const folders = ['include', 'core', 'common', 'libpmem', 'libpmem2', `libpmem2/${cpu}`, 'libpmemobj', 'deps/miniasync/src/include']
  return ['-O2', '-fPIC', '-std=gnu99', '-pthread', '-fno-common', '-fvisibility=hidden', '-ffunction-sections', '-fdata-sections',
    '-fstack-protector-strong', '-fno-sanitize=undefined', '-w', '-D_GNU_SOURCE', '-D_FORTIFY_SOURCE=2', '-D_FILE_OFFSET_BITS=64',
    `-DSRCVERSION="${VERSION}"`, '-DUSE_LIBDL', '-D_PMEMOBJ_INTRNL', '-DAVX512F_AVAILABLE=1', '-DMOVDIR64B_AVAILABLE=1',
    // Pools whose header has a shutdown state, as Debian's library makes them, are opened with it.
    '-DSDS_ENABLED', ...folders.map(folder => `-I${path.join(src, folder)}`)]
}

/**
 * PMDK lists directories by fts(3), which musl lacks.
 *
 * @param {string} src
 * @param {'glibc' | 'musl'} libc
 */
function directorySource (src, libc) {
  return libc === 'musl' ? path.join(__dirname, 'first-level.c') : path.join(src, 'core/fs_posix.c')
}

/** @param {string} src @param {string[]} flags */
function fastUnits (src, flags) {
  const folder = path.join(src, 'libpmem2/x86_64')
  const units = [{ source: path.join(folder, 'cpu.c'), flags }]
  for (const what of ['memcpy', 'memset']) {
    for (const [name, own] of Object.entries(FAST)) {
      for (const kind of name === 'movdir64b' ? ['nt'] : ['nt', 't']) {
        units.push({ source: path.join(folder, what, `${what}_${kind}_${name}.c`), flags: [...flags, ...own] })
      }
    }
  }
  return units
}

module.exports = { VERSION, buildPmdk, fetchPmdk }
