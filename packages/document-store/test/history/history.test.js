'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('../..')
const { assertIntegrity } = require('../integrity')
const { Moments, seen } = require('./model')
const { IDS, kinds, steps } = require('./random-edits')

const RUNS = Number(process.env.HISTORY_RUNS ?? 150)

describe('history', () => {
  for (const autoCompaction of [false, true]) {
    it(`answers every moment as it was, or says that it is not kept${autoCompaction ? ', compacting' : ''}`, async () => {
      await fc.assert(fc.asyncProperty(steps, (list) => run(list, autoCompaction)), { numRuns: RUNS })
    }).timeout(600_000 + 1000 * RUNS)
  }
})

async function run (list, autoCompaction) {
  const place = await open(autoCompaction)
  try {
    for (const step of list) {
      const before = place.store.updateSeq
      await kinds[step.kind](place, step)
      if (place.store.updateSeq > before) await place.moments.note(place.store, place.clock(), IDS)
    }
    await compare(place)
    await place.store.compact()
    await compare(place)
    await assertIntegrity(place.level)
  } finally {
    await place.store.close()
  }
}

/** The store's clock does not go back, nor does that of the model. */
async function open (autoCompaction) {
  const level = new MemoryLevel()
  let latest = 0
  const place = {
    level,
    now: 2e11,
    moments: new Moments(),
    clock: () => (latest = Math.max(latest, place.now)),
    async reopen () {
      await place.store?.close()
      place.store = await DocumentStore.open(level, { autoCompaction, now: () => place.now })
    }
  }
  await place.reopen()
  await place.store.setRetention({ retain: '1y' })
  return place
}

async function compare (place) {
  const { store, moments } = place
  const last = moments.states.at(-1)
  const times = new Set(moments.states.flatMap(({ time }) => [time, time + 1]).filter((time) => time >= 1e11 && time <= Math.max(place.now, last.time)))
  for (const { seq } of moments.states) await compareMoment(place, seq, { seq })
  for (const time of times) await compareMoment(place, time, { time })
  await assert.rejects(store.get('a', { at: store.updateSeq + 1 }), { code: place.store.retention === null ? 'NOT_RETAINED' : 'BAD_REQUEST' })
}

/** A moment is answered in full from `since` on; before that, documents that are answered are right. */
async function compareMoment ({ store, moments }, at, place) {
  const { retention } = store
  const expected = moments.at(place)
  const isWhole = retention !== null && (place.seq === undefined ? place.time >= retention.sinceTime : place.seq >= retention.since)
  for (const id of IDS) {
    const found = await store.get(id, { at, attachments: true }).then(seen, (error) => error)
    const isKept = found.code !== 'NOT_RETAINED'
    assert.ok(isKept || !isWhole, `${id} at ${at}`)
    if (retention === null) assert.ok(!isKept)
    if (isKept) assert.deepEqual(readable(found), wanted(expected.get(id)), `${id} at ${at}`)
  }
  await compareList(store, at, expected, isWhole)
}

async function compareList (store, at, expected, isWhole) {
  const read = async (options) => {
    const rows = []
    for await (const page of (await store.allDocs({ at, includeDocs: true, ...options })).rows) rows.push(...page)
    return rows
  }
  if (!isWhole) return assert.rejects(read({}), { code: 'NOT_RETAINED' })
  const live = [...expected].filter(([, { deleted }]) => !deleted).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))).map(([id, { rev, body }]) => ({ id, rev, body }))
  const shown = (rows) => rows.map(({ id, value, document }) => ({ id, rev: value.rev, body: document.body }))
  assert.deepEqual(shown(await read({})), live)
  assert.deepEqual(shown(await read({ descending: true, skip: 1, limit: 2 })), [...live].reverse().slice(1, 3))
  assert.deepEqual(shown(await read({ startkey: 'a!', endkey: 'b' })), live.filter(({ id }) => id === 'a!' || id === 'b'))
  const keyed = await read({ keys: [...IDS, 'never'] })
  assert.deepEqual(keyed.map((row) => row.value?.rev ?? row.error), [...IDS, 'never'].map((id) => expected.get(id)?.rev ?? 'not_found'))
}

function readable (found) { return found instanceof Error ? found.code : found }

function wanted (state) {
  if (state === undefined) return 'MISSING'
  return state.deleted ? 'DELETED' : state
}
