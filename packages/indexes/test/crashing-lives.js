'use strict'

const { DocumentStore } = require('@potoroo/document-store')
const seedrandom = require('seedrandom')
const { JournalLevel, applyStep, fill } = require('../../document-store/test/crash/journal-level')

/** Edits and queries between two crashes. */
const STEPS = 40

/** @returns {Promise<object[]>} what a power cut may cut off */
async function live (contents, designs, each) {
  const journal = []
  const level = await fill(new JournalLevel(step => journal.push(step)), contents)
  journal.length = 0
  const store = await DocumentStore.open(level)
  for (const ddoc of designs) if (await store.get(ddoc._id).catch(() => undefined) === undefined) await store.put(ddoc)
  await each(store)
  await store.close()
  return journal
}

/**
 * Lives several lives of one database, with crashes in between.
 *
 * @param {{ kind: string, seconds: number, designs: any[] }} options kind: names the environment's variable that has the seed
 * @param {(store: DocumentStore, random: () => number, steps: number) => Promise<void>} each
 */
async function liveLives ({ kind, seconds, designs }, each) {
  const seed = process.env[`${kind}_SEED`] ?? String(Math.random())
  const random = seedrandom(seed)
  const end = Date.now() + seconds * 1000
  const contents = new Map()
  let lives = 0
  try {
    for (; Date.now() < end || lives < 3; lives++) {
      const journal = await live(contents, designs, store => each(store, random, STEPS))
      for (const step of journal.slice(0, Math.ceil(random() * journal.length))) applyStep(contents, step)
    }
  } catch (error) {
    error.message += ` (in life ${lives}, with ${kind}_SEED=${seed})`
    throw error
  }
}

module.exports = { liveLives }
