'use strict'

const { makeContent, TYPE } = require('../../lib/pouchdb/attachments')

/** The same 50,000 bytes put as an attachment of another new document, each time. */
module.exports = {
  name: 'basic-attachments',
  unit: 'put',
  counts: true,
  size: 0,
  step: 10,
  most: 5000,
  async prepare (db) {
    return { db, content: makeContent(0) }
  },
  async run ({ db, content }, start, step) {
    for (let number = start; number < start + step; number++) {
      await db.putAttachment(`document-${number}`, 'foo.txt', content, TYPE)
    }
  }
}
