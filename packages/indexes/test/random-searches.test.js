'use strict'

const { DocumentStore } = require('@potoroo/document-store')
const { QueryServer } = require('@potoroo/query-server')
const seedrandom = require('seedrandom')
const { JournalLevel, applyStep, fill } = require('../../document-store/test/crash/journal-level')
const { SearchLife, designs } = require('./random-searches')

const SECONDS = Number(process.env.SEARCHES_SECONDS ?? 4)

/** Edits and queries between two crashes. */
const STEPS = 40

describe('searches of random documents', function () {
  this.timeout((SECONDS + 240) * 1000)

  const queryServer = new QueryServer()
  after(() => queryServer.close())

  /** @returns {Promise<object[]>} what a power cut may cut off */
  async function live (contents, random) {
    const journal = []
    const level = await fill(new JournalLevel(step => journal.push(step)), contents)
    journal.length = 0
    const store = await DocumentStore.open(level)
    for (const ddoc of designs) if (await store.get(ddoc._id).catch(() => undefined) === undefined) await store.put(ddoc)
    const life = new SearchLife(store, queryServer, random)
    await life.assertAsFresh()
    for (let i = 0; i < STEPS; i++) await life.step()
    await store.close()
    return journal
  }

  it('find what a look at each document finds, whatever is asked, with crashes in between', async () => {
    const seed = process.env.SEARCHES_SEED ?? String(Math.random())
    const random = seedrandom(seed)
    const end = Date.now() + SECONDS * 1000
    const contents = new Map()
    let lives = 0
    try {
      for (; Date.now() < end || lives < 3; lives++) {
        const journal = await live(contents, random)
        for (const step of journal.slice(0, Math.ceil(random() * journal.length))) applyStep(contents, step)
      }
    } catch (error) {
      error.message += ` (in life ${lives}, with SEARCHES_SEED=${seed})`
      throw error
    }
  })
})
