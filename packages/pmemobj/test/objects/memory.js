'use strict'

const { reader } = require('../../lib/objects/record/reader')
const { writer } = require('../../lib/objects/record/writer')

/** Gives the addon the outbox and the inbox of objects again: it has one of each for a thread. */
function restoreMemory () {
  writer.register()
  reader.register()
}

module.exports = { restoreMemory }
