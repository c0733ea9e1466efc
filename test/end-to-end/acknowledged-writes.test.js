'use strict'

const assert = require('node:assert')
const { DataFolder, admin } = require('./data-folder')
const { HttpClient } = require('./http-client')

const WRITERS = 8
const ROUNDS = 4
/** Acknowledgements after which a round's server is killed, with all writers in the middle of a request. */
const ACKNOWLEDGEMENTS = 300

/** Writes that the server has said yes to, and those that it was still asked when it died. */
class Ledger {
  /** id → the last acknowledged revision */
  revisions = new Map()
  /** ids in one `_bulk_docs` request → whether it was acknowledged */
  batches = []
  count = 0

  acknowledge (results) {
    for (const { id, rev } of results) this.revisions.set(id, rev)
    this.count += 1
  }
}

const generation = rev => parseInt(rev, 10)

/** Writes until the server is gone: new documents, edits of one document, batches, in turn. */
async function write (client, ledger, word) {
  let rev = null
  for (let turn = 0; ; turn++) {
    const ids = Array.from({ length: 10 }, (_, index) => `${word}-batch-${turn}-${index}`)
    const batch = { ids, acknowledged: false }
    ledger.batches.push(batch)
    const results = await client.ask('POST', '/load/_bulk_docs', { docs: ids.map(_id => ({ _id, turn, text: 'x'.repeat(200) })) })
    batch.acknowledged = true
    ledger.acknowledge(results)
    ledger.acknowledge([await client.ask('PUT', `/load/${word}-single-${turn}`, { turn })])
    const edited = await client.ask('PUT', `/load/${word}-edited`, { turn, ...(rev && { _rev: rev }) })
    rev = edited.rev
    ledger.acknowledge([edited])
  }
}

/** Kills the server in the middle of the load. */
async function loadAndKill (server, ledger, round) {
  const client = new HttpClient(await server.started, admin)
  const writers = Array.from({ length: WRITERS }, (_, index) => write(client, ledger, `r${round}-w${index}`))
  const aim = ledger.count + ACKNOWLEDGEMENTS
  const original = ledger.acknowledge
  await new Promise((resolve, reject) => {
    ledger.acknowledge = results => {
      original.call(ledger, results)
      if (ledger.count >= aim) resolve()
    }
    for (const writer of writers) writer.catch(error => ledger.count < aim && reject(error))
  })
  const { signal } = await server.end('SIGKILL')
  assert.strictEqual(signal, 'SIGKILL')
  const ends = await Promise.allSettled(writers)
  assert.ok(ends.every(end => end.status === 'rejected'), 'all writers lost their server')
  ledger.acknowledge = original
}

async function check (client, ledger) {
  const { rows, total_rows: total } = await client.ask('GET', '/load/_all_docs')
  const stored = new Map(rows.map(row => [row.id, row.value.rev]))
  for (const [id, rev] of ledger.revisions) {
    const found = stored.get(id)
    assert.ok(found !== undefined, `${id} was acknowledged and is gone`)
    // The one edit that was under way may have been stored without an answer.
    if (found !== rev) assert.strictEqual(generation(found), generation(rev) + 1, `${id}: ${rev} was acknowledged, ${found} is there`)
  }
  for (const { ids } of ledger.batches) {
    const there = ids.filter(id => stored.has(id)).length
    assert.ok(there === 0 || there === ids.length, `${there} of ${ids.length} documents of a batch are there`)
  }
  await checkBooks(client, stored, total)
}

/** The counts, the feed and the documents tell the same. */
async function checkBooks (client, stored, total) {
  const info = await client.ask('GET', '/load')
  assert.strictEqual(info.doc_count, stored.size)
  assert.strictEqual(total, stored.size)
  const { results } = await client.ask('GET', '/load/_changes')
  assert.deepStrictEqual(new Map(results.map(({ id, changes }) => [id, changes[0].rev])).size, stored.size)
  for (const { id, changes } of results) assert.strictEqual(changes[0].rev, stored.get(id))
  const sequences = results.map(({ seq }) => parseInt(seq, 10))
  assert.deepStrictEqual(sequences, [...new Set(sequences)].sort((a, b) => a - b), 'no sequence is given twice')
}

for (const [storage, workers] of [['pmem', 1], ['pmem', 2], ['classic-level', 1]]) {
  describe(`every acknowledged write survives kill -9, on ${storage}, through ${workers === 1 ? 'one thread' : `${workers} threads`}`, () => {
    let folder

    before(() => { folder = new DataFolder(storage) })
    after(() => folder.remove())

    it(`in ${ROUNDS} rounds of ${WRITERS} writers`, async function () {
      this.timeout(600_000)
      const ledger = new Ledger()
      for (let round = 0; round < ROUNDS; round++) {
        const server = await folder.start({ workers })
        const client = new HttpClient(await server.started, admin)
        if (round === 0) await client.ask('PUT', '/load')
        else await check(client, ledger)
        await loadAndKill(server, ledger, round)
      }
      const server = await folder.start({ workers })
      await check(new HttpClient(await server.started, admin), ledger)
      const { code } = await server.end('SIGTERM')
      assert.strictEqual(code, 0)
    })
  })
}
