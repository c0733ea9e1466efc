'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const seedrandom = require('seedrandom')
const { DocumentStore } = require('../..')
const { assertIntegrity, leftoversIn } = require('../integrity')
const { JournalLevel, applyStep, fill } = require('./journal-level')
const { Ledger } = require('./ledger')
const { Writer, tend, listen } = require('./mixed-load')
const { changesOf, statesOf } = require('./subjects')

const SECONDS = Number(process.env.CRASH_SECONDS ?? 3)
const WRITERS = 3
const STEPS = 30

/** Lets others go first now and then, so that writers meet. */
function pauses (random) {
  return () => random() < 0.5 ? undefined : new Promise((resolve) => { setImmediate(resolve) })
}

/** Runs a load on what is stored, and returns in their order what was told and what was stored. */
async function live (contents, random) {
  const journal = []
  const level = await fill(new JournalLevel((step) => journal.push({ step }), pauses(random)), contents)
  journal.length = 0
  const store = await DocumentStore.open(level, { autoCompaction: random() < 0.3 })
  const load = { store, random, tell: (event) => journal.push({ event: structuredClone(event) }) }
  const listener = listen(load)
  const times = async (count, action) => { for (let i = 0; i < count; i++) await action() }
  const writers = Array.from({ length: WRITERS }, (_, i) => new Writer(load, `w${i}`))
  await Promise.all([...writers.map((writer) => times(STEPS, () => writer.step())), times(STEPS / 6, () => tend(load))])
  await store.close()
  await listener
  return journal
}

/** Opens what a crash left, in a copy, and demands that it is right. */
async function recover (contents, ledger) {
  const level = await fill(new MemoryLevel(), contents)
  // A crash before the first commit leaves no database.
  if (contents.size > 0) await leftoversIn(level)
  const store = await DocumentStore.open(level)
  ledger.assertSequences(await changesOf(store), store.updateSeq, await store.purges())
  ledger.settle(await statesOf(store, ledger.subjects))
  await store.close()
  await assertIntegrity(level)
}

/** Crashes a life before each of its steps; returns what one of the crashes left. */
async function crashEverywhere (journal, contents, ledger, random) {
  const steps = journal.filter(({ step }) => step !== undefined).length
  const last = Math.floor(random() * steps)
  let at = 0
  for (const { step, event } of journal) {
    if (event !== undefined) ledger.note(event)
    else {
      if (at === last) break
      await recover(contents, ledger.copy())
      applyStep(contents, step)
      at++
    }
  }
  await recover(contents, ledger)
  return at + 1
}

describe('a crash at any point', function () {
  this.timeout((SECONDS + 600) * 1000)

  it('loses no acknowledged write and leaves nothing half done', async () => {
    const seed = process.env.CRASH_SEED ?? String(Math.random())
    const random = seedrandom(seed)
    const end = Date.now() + SECONDS * 1000
    const contents = new Map()
    const ledger = new Ledger()
    let points = 0
    try {
      while (Date.now() < end) points += await crashEverywhere(await live(contents, random), contents, ledger, random)
    } catch (error) {
      error.message += ` (after ${points} points, with CRASH_SEED=${seed})`
      throw error
    }
    assert.ok(points > 0)
  })
})
