'use strict'

const assert = require('node:assert/strict')
const PouchDB = require('pouchdb-core')
const { MemoryLevel } = require('memory-level')

const { createAdapter, openOnLevel } = require('..')
const { differences } = require('./differential/differences')
const { normalise } = require('./differential/normalise')
const { createSide } = require('./differential/side')

// The same is asked of PouchDB's own adapter, and has to be answered the same.

const themes = ['documents', 'many', 'attachments', 'changes', 'database']

const levels = new Map()

PouchDB.plugin(createAdapter({
  name: 'differential',
  async open (name, options) {
    const level = levels.get(name) ?? new MemoryLevel()
    levels.set(name, level)
    const opened = await openOnLevel(level, options, async () => { levels.delete(name) })
    return { ...opened, close: () => opened.store.close() }
  }
}))

async function answersOf (adapter, run) {
  const side = createSide(adapter)
  try {
    return normalise(await run(side), side.name)
  } finally {
    await side.end()
  }
}

describe('the same as of PouchDB\'s own adapter', () => {
  const { warn } = console
  before(() => { console.warn = () => {} }) // PouchDB warns of attachments without a type
  after(() => { console.warn = warn })

  for (const theme of themes) {
    describe(theme, () => {
      for (const [title, run] of Object.entries(require(`./differential/${theme}`))) {
        it(title, async () => assert.deepEqual(await answersOf('differential', run), await answersOf('memory', run)))
      }
    })
  }

  describe('but not', () => {
    for (const { title, run, ours } of differences) {
      it(title, async () => {
        const answer = await answersOf('differential', run)
        assert.deepEqual(answer, ours)
        assert.notDeepEqual(await answersOf('memory', run), answer)
      })
    }
  })
})
