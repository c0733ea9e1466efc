'use strict'

const { makeContent, BYTES, TYPE } = require('../../lib/pouchdb/attachments')

module.exports = {
  name: 'getAttachment of 50,000 bytes',
  unit: 'call',
  size: 100,
  step: 10,
  async prepare (db, { size }) {
    for (let number = 0; number < size; number++) {
      await db.putAttachment(`document-${number}`, 'foo.bin', makeContent(number), TYPE)
    }
    return { db, size }
  },
  async run ({ db, size }, start, step) {
    for (let number = start; number < start + step; number++) {
      const content = await db.getAttachment(`document-${number % size}`, 'foo.bin')
      if (content.length !== BYTES) throw new Error(`${content.length} bytes and not ${BYTES}`)
    }
  }
}
