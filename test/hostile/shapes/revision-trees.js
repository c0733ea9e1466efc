'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')

const hash = text => crypto.createHash('md5').update(text).digest('hex')

/** A history of one branch, newest first. */
const history = (branch, length, shared) => Array.from({ length }, (_, n) => hash(n < shared ? `${branch} ${n}` : `trunk ${n}`))

/** @type {import('../support/run-shape').Shape} */
module.exports = {
  name: 'revision-trees',
  what: 'trees of very many revisions, in one line and in branches, are written, read and edited',
  sizes: { short: { line: 10_000, branches: 20, length: 500, edits: 10 }, long: { line: 100_000, branches: 100, length: 1000, edits: 50 } },
  bounds: { stall: 650, peak: 500, left: 250 },

  async attack (subject, { line, branches, length, edits }) {
    await subject.done('PUT', '/t')
    await subject.done('PUT', '/t/_revs_limit', String(line))
    const ids = history('line', line, line)
    await subject.done('POST', '/t/_bulk_docs', { docs: [{ _id: 'line', _revisions: { start: line, ids } }], new_edits: false })
    let rev = `${line}-${ids[0]}`
    assert.equal((await subject.done('GET', '/t/line?revs=true')).body._revisions.ids.length, line)
    assert.equal((await subject.done('GET', '/t/line?revs_info=true')).body._revs_info.length, line)
    for (let n = 0; n < edits; n++) rev = (await subject.done('PUT', '/t/line', { _rev: rev, n })).body.rev
    const diff = await subject.done('POST', '/t/_revs_diff', { line: ids.map((id, n) => `${line - n}-${id}`) })
    assert.equal(Object.keys(diff.body.line?.missing ?? {}).length, edits)
    for (let branch = 0; branch < branches; branch++) {
      const path = history(`branch ${branch}`, length, length - 1)
      await subject.done('POST', '/t/_bulk_docs', { docs: [{ _id: 'tree', branch, _revisions: { start: length, ids: path } }], new_edits: false })
    }
    const { body: leaves } = await subject.done('GET', '/t/tree?open_revs=all&revs=true', undefined, { accept: 'application/json' })
    assert.equal(leaves.length, branches)
    assert.ok(leaves.every(({ ok }) => ok._revisions.ids.length === length))
    let winner = (await subject.done('GET', '/t/tree')).body
    for (let n = 0; n < edits; n++) winner = { ...winner, _rev: (await subject.done('PUT', '/t/tree', { ...winner, n })).body.rev }
    await subject.done('PUT', '/t/_revs_limit', '10')
    await subject.done('PUT', '/t/tree', { ...winner, last: true })
    await subject.done('PUT', '/t/line', { _rev: rev, last: true })
    assert.equal((await subject.done('GET', '/t/line?revs=true')).body._revisions.ids.length, 10)
    await subject.done('POST', '/t/_compact', {})
  }
}
