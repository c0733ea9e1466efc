'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')

const revision = n => ({ _id: 'torn', _rev: `2-${crypto.createHash('md5').update(`${n}`).digest('hex')}`, n })

/** @type {import('../support/run-shape').Shape} */
module.exports = {
  name: 'conflicts',
  what: 'a document with thousands of conflicts is written, read, listed, resolved and purged',
  sizes: {
    short: { count: 1000, singles: 50 },
    long: { count: 10_000, singles: 500 }
  },
  bounds: { stall: 600, peak: 400, left: 200 },

  async attack (subject, { count, singles }) {
    await subject.done('PUT', '/c')
    await subject.done('PUT', '/c/_design/d', { views: { v: { map: 'function (doc) { emit(doc._id, doc._conflicts ? doc._conflicts.length : 0) }' } } })
    const revisions = Array.from({ length: count }, (_, n) => revision(n))
    for (let at = 0; at < count; at += 1000) assert.deepEqual((await subject.done('POST', '/c/_bulk_docs', { docs: revisions.slice(at, at + 1000), new_edits: false })).body, [])
    for (let n = 0; n < singles; n++) await subject.done('PUT', '/c/torn?new_edits=false', revision(`single-${n}`))
    const all = count + singles
    const winner = (await subject.done('GET', '/c/torn?conflicts=true')).body
    assert.equal(winner._conflicts.length, all - 1)
    assert.equal((await subject.done('GET', '/c/torn?open_revs=all', undefined, { accept: 'application/json' })).body.length, all)
    assert.equal((await subject.done('GET', '/c/_changes?style=all_docs')).body.results.find(({ id }) => id === 'torn').changes.length, all)
    assert.equal((await subject.done('GET', '/c/_all_docs?include_docs=true&conflicts=true&key="torn"')).body.rows[0].doc._conflicts.length, all - 1)
    assert.equal((await subject.done('GET', '/c/_design/d/_view/v')).body.rows[0].value, all - 1)
    assert.equal((await subject.done('POST', '/c/_find', { selector: { _id: 'torn' }, conflicts: true })).body.docs.length, 1)
    assert.equal((await subject.done('POST', '/c/_revs_diff', { torn: [winner._rev, '9-x'] })).body.torn.missing.length, 1)
    await subject.done('PUT', '/c/torn', { ...winner, _conflicts: undefined, n: 'edited' })
    const losers = (await subject.done('GET', '/c/torn?conflicts=true')).body._conflicts
    const resolved = await subject.done('POST', '/c/_bulk_docs', { docs: losers.map(_rev => ({ _id: 'torn', _rev, _deleted: true })) })
    assert.ok(resolved.body.every(({ ok }) => ok))
    assert.equal((await subject.done('GET', '/c/torn?conflicts=true')).body._conflicts, undefined)
    const { body: left } = await subject.done('GET', '/c/torn?open_revs=all', undefined, { accept: 'application/json' })
    const { purged } = (await subject.done('POST', '/c/_purge', { torn: left.slice(0, 1000).map(({ ok }) => ok._rev) })).body
    assert.equal(purged.torn.length, Math.min(1000, left.length))
  }
}
