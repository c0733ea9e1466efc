'use strict'

const fc = require('fast-check')

const IDS = ['a', 'a\0b', 'a!', 'b', 'é']
const id = fc.constantFrom(...IDS)
const file = fc.option(fc.constantFrom('one', 'two', 'three'), { freq: 3 })

/** Draws lists of things that happen to a database, as data: see `kinds`. */
const steps = fc.array(fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('edit'), id, deletes: fc.boolean(), user: fc.option(fc.constantFrom('jan', 'ö, x')), file }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('conflict'), id, deletes: fc.boolean(), generation: fc.integer({ min: 1, max: 4 }), hash: fc.constantFrom('a', 'm', 'z'), file }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('several'), ids: fc.array(id, { minLength: 2, maxLength: 4 }), file }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait'), by: fc.constantFrom(-50, 1, 100, 1000, 5000) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('compact') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge'), id, which: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('retain'), limits: fc.constantFrom({ retain: '2s' }, { versions: 2 }, { retain: '1y' }, { retain: '3s', versions: 1 }, {}) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('limit'), limit: fc.constantFrom(1, 2, 1000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen') }) }
), { minLength: 5, maxLength: 40 })

let count = 0

/** @type {Record<string, (place: any, step: any) => Promise<void>>} */
const kinds = {
  async edit ({ store }, { id, deletes, user, file }) {
    await store.write([await editOf(store, id, deletes, file)], { user: user === null ? undefined : { name: user } })
  },

  async conflict ({ store }, { id, deletes, generation, hash, file }) {
    const doc = { _id: id, _rev: `${generation}-${hash}`, n: count++, ...attachmentsOf(file), ...(deletes && { _deleted: true }) }
    await store.write([doc], { newEdits: false })
  },

  async several ({ store }, { ids, file }) {
    await store.write(await Promise.all([...new Set(ids)].map((id) => editOf(store, id, false, file))))
  },

  async wait (place, { by }) { place.now += by },

  async compact ({ store }) { await store.compact() },

  async purge ({ store, moments }, { id, which }) {
    const leaves = (await store.openRevs(id, 'all')).map(({ ok }) => ok.rev)
    if (leaves.length === 0) return
    const { gone, erased } = await store.purge({ [id]: [leaves[which % leaves.length]] })
    for (const { documents } of moments.states) if (erased.length > 0 || gone[id].includes(documents.get(id)?.rev)) documents.delete(id)
  },

  async retain (place, { limits }) {
    if (place.store.retention === null) place.clock()
    await place.store.setRetention(limits)
  },

  async limit ({ store }, { limit }) { await store.setRevsLimit(limit) },

  async reopen (place) { await place.reopen() }
}

async function editOf (store, id, deletes, file) {
  const rev = await store.get(id).then(({ rev }) => rev, ({ rev }) => rev)
  return { _id: id, ...(rev && { _rev: rev }), n: count++, ...attachmentsOf(file), ...(deletes && { _deleted: true }) }
}

function attachmentsOf (file) {
  return file === null ? {} : { _attachments: { f: { content_type: 'text/plain', data: Buffer.from(file) } } }
}

module.exports = { IDS, kinds, steps }
