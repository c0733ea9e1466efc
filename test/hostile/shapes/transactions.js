'use strict'

const { beside } = require('../support/functions')

const writesOf = (/** @type {number} */ count, /** @type {string} */ name) => Array.from({ length: count }, (_, n) => ({ _id: `${name}${n}`, n, text: 'x'.repeat(1000) }))

/** @type {import('../support/run-shape').Shape} */
module.exports = {
  name: 'transactions',
  what: 'transactions of as many documents as one may have, beside a writer of the same database',
  sizes: {
    short: { count: 1000 },
    long: { count: 10_000 }
  },
  bounds: { stall: 150, peak: 600, left: 300 },

  async prepare (subject) { await subject.done('PUT', '/t') },

  async attack (subject, { count }) {
    let written = 0
    const attacks = ['a', 'b'].map(name => () => subject.done('POST', '/t/_transact', { writes: writesOf(count, name) }))
    return beside(attacks, () => subject.done('PUT', `/t/good${written++}`, {}))
  }
}
