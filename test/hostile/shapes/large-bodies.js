'use strict'

const assert = require('node:assert/strict')
const { GOOD, largeBodies, prepare } = require('../../../perf/lib/stalls/bodies')
const { beside } = require('../support/functions')

/** For `npm test` the full size is divided by it. */
const SHORT = 20

/** Milliseconds of those for which V8 makes room in one go. @type {Record<string, number>} */
const STALLS = { members: 200, 'members-later': 200, 'members-local': 200, 'members-multipart': 200, 'members-user': 200, 'members-replication': 200 }

/** @param {import('../../../perf/lib/stalls/bodies').LargeBody} body @returns {import('../support/run-shape').Shape} */
function shapeOf ({ name, what, count, target, text, statuses, headers }) {
  const [method, path] = target.split(' ')
  return {
    name: `large-${name}`,
    what: `very many ${what}`,
    sizes: { short: { count: count / SHORT }, long: { count } },
    bounds: { stall: STALLS[name] ?? 150, peak: 1200, left: 400 },

    prepare: subject => prepare((...request) => subject.done(...request)),

    async attack (subject, { count }) {
      const body = text(count)
      const attack = async () => {
        const { status, bytes } = await subject.ask(method, path, body, headers)
        assert.ok(statuses.includes(status), `${target}: ${status} ${bytes.toString('utf8', 0, 300)}`)
      }
      const good = async () => { assert.equal((await subject.done('GET', GOOD)).body.n, 1) }
      return { bytes: body.length, ...await beside([attack], good) }
    }
  }
}

// Shapes of their own try what functions do.
module.exports = largeBodies.filter(({ before }) => before === undefined).map(shapeOf)
