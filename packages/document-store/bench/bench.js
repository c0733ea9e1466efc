'use strict'

/**
 * CPU time of the common paths, in µs: `node bench/bench.js [memory-level|classic-level|pmem-level]`.
 * The figures of a busy machine compare among themselves only.
 */

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { DocumentStore } = require('..')

const BODY = { title: 'Bettong', tags: ['small', 'hops'], text: 'x'.repeat(150), count: 42 }
const LEVELS = { 'memory-level': 'MemoryLevel', 'classic-level': 'ClassicLevel', 'pmem-level': 'PmemLevel' }

function openLevel (kind, folder) {
  const Level = require(kind)[LEVELS[kind]]
  return kind === 'memory-level' ? new Level() : new Level(path.join(folder, 'level'))
}

async function measure (name, times, action) {
  for (let i = 0; i < Math.min(times, 20); i++) await action(-1 - i)
  const samples = []
  for (let round = 0; round < 5; round++) {
    const before = process.cpuUsage()
    for (let i = 0; i < times; i++) await action(round * times + i)
    const { user, system } = process.cpuUsage(before)
    samples.push((user + system) / times)
  }
  samples.sort((a, b) => a - b)
  console.log(`${name.padEnd(34)} ${samples[2].toFixed(1).padStart(9)}`)
}

async function drain (pages) {
  let count = 0
  for await (const page of pages) count += page.length
  return count
}

function docs (count, prefix) {
  return Array.from({ length: count }, (_, i) => ({ _id: `${prefix}${String(i).padStart(6, '0')}`, ...BODY }))
}

async function fill (store) {
  for (let i = 0; i < 10; i++) await store.write(docs(100, `doc${i}`))
}

async function main (kind) {
  const folder = fs.mkdtempSync(path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), 'document-store-'))
  const level = openLevel(kind, folder)
  const store = await DocumentStore.open(level)
  await fill(store)
  console.log(`${kind}, CPU µs each`)
  await measure('get', 5000, () => store.get('doc0000042'))
  await measure('put, new', 1000, (i) => store.put({ _id: `put${i}`, ...BODY }))
  let rev
  await measure('put, update', 1000, async () => { rev = (await store.put({ _id: 'hot', _rev: rev, ...BODY })).rev })
  await measure('write 100 new', 50, (i) => store.write(docs(100, `bulk${i}-`)))
  let batch = await store.write(docs(100, 'update'))
  await measure('write 100 updates', 50, async () => {
    batch = await store.write(batch.map(({ id, rev }) => ({ _id: id, _rev: rev, ...BODY })))
  })
  await measure('50 writers at once, each', 100, (i) => Promise.all(docs(50, `group${i}-`).map((doc) => store.put(doc))))
  await measure('allDocs, 100 with documents', 100, async () => drain((await store.allDocs({ includeDocs: true, limit: 100 })).rows))
  await measure('allDocs, 100 keys with documents', 100, async () => {
    const keys = docs(100, 'doc0').map(({ _id }) => _id)
    return drain((await store.allDocs({ includeDocs: true, keys })).rows)
  })
  await measure('changes of 1000', 50, () => drain(store.changes({ limit: 1000 })))
  await measure('changes of 1000 with documents', 20, () => drain(store.changes({ limit: 1000, includeDocs: true })))
  await level.close()
  fs.rmSync(folder, { recursive: true, force: true })
}

main(process.argv[2] ?? 'memory-level')
