'use strict'

const assert = require('node:assert/strict')
const { GOOD, prepare } = require('../../../perf/lib/stalls/bodies')
const { storedDocuments } = require('../../../perf/lib/stalls/stored')
const { beside } = require('../support/functions')

/** For `npm test` the full size is divided by it. */
const SHORT = 20

/** @type {import('../support/run-shape').Shape} */
module.exports = {
  name: 'stored-documents',
  what: 'stored documents of very many members are found, copied, validated, shown and changed',
  sizes: { short: { part: SHORT }, long: { part: 1 } },
  // Stubs of 100,000 attachments take up to 180.
  bounds: { stall: 300, peak: 1200, left: 500 },

  async attack (subject, { part }) {
    const ask = (...request) => subject.done(...request)
    const attack = async ({ name, count, target, text, statuses, before, headers }) => {
      const some = Math.ceil(count / part)
      await prepare(ask)
      await before(ask, some)
      const [method, path] = target.split(' ')
      const good = async () => { assert.equal((await subject.done('GET', GOOD)).body.n, 1) }
      const body = text(some)
      await beside([async () => {
        const { status, text } = await subject.ask(method, path, body === '' ? undefined : body, headers)
        assert.ok(statuses.includes(status), `${name}: ${status} ${text.slice(0, 300)}`)
      }], good)
      await subject.done('DELETE', '/n')
    }
    for (const body of storedDocuments) await attack(body)
  }
}
