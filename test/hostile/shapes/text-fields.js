'use strict'

const assert = require('node:assert/strict')
const { beside } = require('../support/functions')

/** @param {number} count @param {(n: number) => any} make the value of each member */
const members = (count, make) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, make(n)]))

const functions = (/** @type {number} */ fields) => ({
  indexes: { own: { index: `function (doc) { for (var i = 0; i < ${fields}; i++) index("f" + i + doc._id, "w" + i); index("default", "fox") }` } },
  nouveau: { own: { index: `function (doc) { for (var i = 0; i < ${fields}; i++) index("double", "f" + i + doc._id, i); index("text", "default", "fox") }` } }
})

/** @type {import('../support/run-shape').Shape} */
module.exports = {
  name: 'text fields',
  what: 'documents of very many fields, of very long names and texts, in text indexes; beside a reader',
  sizes: {
    short: { fields: 2000, count: 3, words: 20_000 },
    long: { fields: 20_000, count: 20, words: 700_000, bounds: { stall: 600, peak: 1300, left: 600 } }
  },
  bounds: { stall: 150, peak: 350, left: 250 },

  async prepare (subject, { count }) {
    for (const name of ['m', 'f']) await subject.done('PUT', `/${name}`)
    for (const type of ['text', 'nouveau']) await subject.done('POST', '/m/_index', { type, index: {}, ddoc: type })
    for (let n = 0; n < count; n++) await subject.done('PUT', `/f/d${n}`, {})
    await subject.done('PUT', '/m/good', { text: 'a fox' })
  },

  async attack (subject, { fields, count, words }) {
    const wide = [
      { _id: 'numbers', ...members(3 * fields, n => n) },
      { _id: 'texts', ...members(fields, n => `w${n} fox`) },
      { _id: 'lists', ...members(fields, () => [1, [2], 'fox']) },
      { _id: 'name', ['x'.repeat(50 * fields)]: members(fields, () => 'fox') },
      { _id: 'words', text: 'all of them '.repeat(words / 2) }
    ]
    const find = async (/** @type {string} */ ddoc) => (await subject.done('POST', '/m/_find', { selector: { $text: 'fox' }, use_index: ddoc, fields: ['_id'] })).body.docs.map((/** @type {any} */ { _id }) => _id).sort()
    const member = async () => {
      for (const doc of wide) {
        const { body: { rev } } = await subject.done('PUT', `/m/${doc._id}`, doc)
        for (const ddoc of ['text', 'nouveau']) assert.ok((await find(ddoc)).includes('good'))
        await subject.done('DELETE', `/m/${doc._id}?rev=${rev}`)
      }
      for (const ddoc of ['text', 'nouveau']) assert.deepEqual(await find(ddoc), ['good'])
    }
    const author = async () => {
      await subject.done('PUT', '/f/_design/d', functions(fields))
      assert.equal((await subject.done('GET', '/f/_design/d/_search/own?q=fox')).body.total_rows, count)
      assert.equal((await subject.done('GET', '/f/_design/d/_nouveau/own?q=fox')).body.total_hits, count)
    }
    return beside([member, author], () => subject.done('GET', '/m/good'))
  }
}
