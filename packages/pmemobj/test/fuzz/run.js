#!/usr/bin/env node
'use strict'

// Builds the engine's fuzzers under AddressSanitizer and UBSan and runs them, for FUZZ_SECONDS each
// (default 12), side by side. Prints the Test Anything Protocol.
//
//   run.js BUILD ENGINE    folders: for inputs; and that the engine's Makefile builds in, for its tests, too
//
// Without a clang++ that has libFuzzer, the fuzzers still take the inputs that are kept here and
// those that are generated; what is left out is said, and counts as skipped. An input that fails is
// left in BUILD/failures: `fuzz_NAME FILE` runs it again.

const { execFile, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { findFuzzingCompiler } = require('../../../../scripts/lib/system-packages')

const FUZZERS = [
  { name: 'operations', what: 'any operations, against std::map', longest: 2048 },
  { name: 'damage', what: 'damaged pools: opened, read and checked', longest: 256 },
  { name: 'operations_encrypted', what: 'any operations on encrypted pools, against std::map', longest: 2048 },
  { name: 'damage_encrypted', what: 'damaged pools that are encrypted: opened, read and checked', longest: 256 }
]
const SEEDS = 20
/** How many times FUZZ_SECONDS may become. */
const LONGEST = 16

const [build, engine] = [2, 3].map(index => path.resolve(process.argv[index] ?? ''))
const seconds = Number(process.env.FUZZ_SECONDS ?? 12)

function runOrThrow (command, words) {
  const { status, stdout, stderr, error } = spawnSync(command, words, { encoding: 'utf8', maxBuffer: 2 ** 26 })
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}: ${error?.message ?? ''}\n${stdout}\n${stderr}`)
}

/** @param {string | null} clang @returns {string} the folder of the programs */
function compile (clang) {
  const compiler = clang === null ? [] : [`CLANG=${clang}`]
  const words = ['-C', path.join(__dirname, '../engine'), 'fuzzers', `BUILD=${engine}`, `JOBS=${os.availableParallelism()}`]
  runOrThrow('make', ['--silent', ...words, ...compiler])
  return path.join(engine, clang === null ? 'asan' : `asan-${clang}`)
}

/** The same bytes every time, as many inputs short as long. */
function writeSeeds (folder, longest) {
  let state = 1
  const next = () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9 | 0
    return (state ^ (state >>> 13)) & 255
  }
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'empty'), '')
  for (let i = 1; i < SEEDS; i++) {
    const bytes = Uint8Array.from({ length: Math.ceil(longest * i / SEEDS) }, next)
    fs.writeFileSync(path.join(folder, `seed-${i}`), bytes)
  }
}

function filesOf (folder) {
  return fs.existsSync(folder) ? fs.readdirSync(folder).map(name => path.join(folder, name)) : []
}

/** @returns {Promise<{ ok: boolean, output: string }>} */
function run (program, words) {
  const env = { ...process.env, PMEM_IS_PMEM_FORCE: '1', TEST_FOLDER: process.env.TMPDIR ?? '/dev/shm', ASAN_OPTIONS: 'quarantine_size_mb=32' }
  return new Promise(resolve => {
    execFile(program, words, { env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ ok: error === null, output: stdout + stderr })
    })
  })
}

/** libFuzzer, from the inputs that there are; for longer where a busy machine came no further than those. */
async function fuzz (program, { name, longest }, time = seconds) {
  const [found, failures] = ['found', 'failures'].map(folder => path.join(build, folder, name))
  for (const folder of [found, failures]) fs.mkdirSync(folder, { recursive: true })
  const words = [`-max_total_time=${time}`, `-max_len=${longest}`, '-len_control=0', '-timeout=60', '-detect_leaks=0',
    '-print_final_stats=1', `-artifact_prefix=${failures}/`, found, path.join(build, 'seeds', name)]
  const { ok, output } = await run(program, words)
  const runs = Number(/^stat::number_of_executed_units: (\d+)/m.exec(output)?.[1] ?? 0)
  if (ok && runs <= SEEDS && time < LONGEST * seconds) return fuzz(program, { name, longest }, 2 * time)
  return { ok: ok && runs > SEEDS, output, comment: `${runs} inputs in ${time} s` }
}

async function test (folder, clang, fuzzer) {
  const program = path.join(folder, `fuzz_${fuzzer.name}`)
  const seeds = path.join(build, 'seeds', fuzzer.name)
  writeSeeds(seeds, fuzzer.longest)
  const known = [...filesOf(path.join(__dirname, 'regressions', fuzzer.name)), ...filesOf(seeds)]
  const replay = await run(program, known)
  const results = [{ title: `${fuzzer.what}: ${known.length} known inputs`, ...replay }]
  if (clang === null) {
    results.push({ title: `${fuzzer.what}: libFuzzer`, ok: true, skip: 'there is no clang++ with libFuzzer (on Debian: apt-get install clang libclang-rt-dev)' })
  } else {
    const { comment, ...result } = await fuzz(program, fuzzer)
    results.push({ title: `${fuzzer.what}: libFuzzer, ${comment}`, ...result })
  }
  return results
}

function print (results) {
  console.log(`1..${results.length}`)
  results.forEach(({ title, ok, output, skip }, index) => {
    console.log(`${ok ? 'ok' : 'not ok'} ${index + 1} - ${title}${skip ? ` # SKIP ${skip}` : ''}`)
    if (!ok) console.log(output.split('\n').slice(-100).map(line => `  ${line}`).join('\n'))
  })
}

async function main () {
  if (process.argv[3] === undefined) throw new Error('usage: run.js BUILD ENGINE')
  if (!(seconds > 0)) throw new Error('FUZZ_SECONDS must be a number above 0')
  fs.mkdirSync(build, { recursive: true })
  const clang = findFuzzingCompiler()
  const folder = compile(clang)
  const results = (await Promise.all(FUZZERS.map(fuzzer => test(folder, clang, fuzzer)))).flat()
  print(results)
  if (results.some(result => !result.ok)) process.exitCode = 1
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
