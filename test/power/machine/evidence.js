'use strict'

// Without a word: works in a pool on the DAX file system, under strace, and says how it is mapped.
// With the path of strace's output: says how many calls that flush files there were between the two marks.

const fs = require('node:fs')

const BEGIN = '/begin-of-commits'
const END = '/end-of-commits'

function mark (name) {
  try {
    fs.accessSync(name)
  } catch {}
}

async function work () {
  const { PmemLevel } = require('pmem-level')
  const level = new PmemLevel('/run/pmem/evidence')
  await level.open()
  mark(BEGIN)
  for (let i = 0; i < 100; i++) await level.put(`key ${i}`, 'x'.repeat(200))
  for (let i = 0; i < 20; i++) await level.batch(Array.from({ length: 100 }, (_, n) => ({ type: 'put', key: `${i} ${n}`, value: 'y'.repeat(100) })))
  mark(END)
  const { isPmem } = level.stats()
  const mappings = fs.readFileSync('/proc/self/smaps', 'utf8').split(/\n(?=[0-9a-f]+-)/).filter(text => text.includes('/run/pmem/'))
  const synchronous = mappings.filter(text => / sf\b/.test(/VmFlags:.*/.exec(text)?.[0] ?? ''))
  say({ isPmem, mappings: mappings.length, synchronous: synchronous.length })
  await level.close()
}

function count (file) {
  const calls = fs.readFileSync(file, 'utf8').split('\n').filter(line => !line.includes('resumed>'))
  const from = calls.findIndex(line => line.includes(BEGIN))
  const to = calls.findIndex(line => line.includes(END))
  say({ commits: 120, flushes: from === -1 || to === -1 ? null : calls.slice(from + 1, to).filter(line => !line.includes('access(')).length, flushesInAll: calls.filter(line => /msync|sync\(|pwritev2/.test(line)).length })
}

function say (what) {
  process.stdout.write(`\npower: ${JSON.stringify(what)}\n`)
}

if (process.argv[2] === undefined) work()
else count(process.argv[2])
