'use strict'

const { MemoryLevel } = require('memory-level')
const { createAdapter, openOnLevel } = require('pouchdb-adapter-document-store')

/** name → level. A database lives as long as the process, or until it is destroyed. */
const levels = new Map()

module.exports = createAdapter({
  name: 'memory-level',
  async open (name, options) {
    const level = levels.get(name) ?? new MemoryLevel()
    levels.set(name, level)
    const opened = await openOnLevel(level, options, async () => { levels.delete(name) })
    return { ...opened, close: () => opened.store.close() }
  }
})
