'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { DocumentStore } = require('../..')
const { compare } = require('./compare')

const IDS = ['a', 'b', 'c', 'd']

/** One of the revisions that a document has or had, or none. */
const pick = fc.option(fc.nat(9), { freq: 3 })
const file = fc.constantFrom(null, null, 'one', 'two', 'stub')
const edit = fc.record({ id: fc.constantFrom(...IDS), above: pick, deleted: fc.boolean(), file })
const replica = fc.record({
  id: fc.constantFrom(...IDS), above: pick, gap: fc.nat(2), known: fc.nat(3), hash: fc.nat(5), deleted: fc.boolean(), file: fc.constantFrom(null, 'one', 'two')
})

/** One request to both stores. After each, all that can be read is compared. */
class Command {
  constructor (name, drawn) {
    this.name = name
    this.drawn = drawn
  }

  check () { return true }

  async run (model, real) {
    await ACTIONS[this.name](model, real, this.drawn)
    await compare(model, real, IDS)
  }

  toString () { return `${this.name} ${JSON.stringify(this.drawn)}` }
}

const ACTIONS = {
  async edits (model, real, edits) {
    const docs = edits.map((drawn) => toEdit(model, real, drawn))
    const results = await real.store.write(docs)
    docs.forEach((doc, i) => applyEdit(model, doc, results[i]))
    model.commit(docs.map(({ _id }) => _id))
  },

  async replicas (model, real, replicas) {
    const drawn = replicas.map((replica) => toReplica(model, real, replica))
    const results = await real.store.write(drawn.map(({ doc }) => doc), { newEdits: false })
    for (const [i, { doc, path }] of drawn.entries()) {
      assert.ok(results[i].ok, results[i].stack)
      model.add(doc._id, path, doc._deleted === true, storedOf(doc, null))
    }
    model.commit(drawn.map(({ doc }) => doc._id))
  },

  async purge (model, real, { id, picks }) {
    const revs = [...new Set(picks.map((number) => pickRev(model, id, number)).filter((rev) => rev !== null))]
    const { purged, purgeSeq } = await real.store.purge({ [id]: revs })
    assert.deepEqual(purged[id].sort(), model.purge(id, revs).sort())
    assert.equal(purgeSeq, model.purgeSeq)
  },

  async compact (model, { store }) {
    await store.compact()
    model.compact()
  },

  async limit (model, { store }, limit) {
    await store.setRevsLimit(limit)
    model.limit = limit
  },

  async local (model, real, { id, removes, stale }) {
    const key = `_local/${id}`
    const known = model.locals.get(key)
    const doc = { _id: key, _rev: stale ? '0-7' : known?.[0], number: real.count++ }
    const write = removes ? real.store.removeLocal(doc) : real.store.putLocal(doc)
    const result = await write.catch((error) => error)
    if (removes ? known === undefined || stale : stale) return assert.equal(result.code, removes ? 'MISSING' : 'CONFLICT')
    if (removes) model.locals.delete(key)
    else model.locals.set(key, [`0-${known === undefined ? 1 : Number(known[0].slice(2)) + 1}`, doc.number])
    assert.equal(result.rev, model.locals.get(key)?.[0] ?? '0-0')
  },

  async reopen (model, real) {
    await real.store.close()
    real.store = await DocumentStore.open(real.level, real.options)
  }
}

function pickRev (model, id, number) {
  const nodes = model.nodes(id)
  return number === null || nodes.length === 0 ? null : nodes[number % nodes.length].rev
}

function attachments (file) {
  if (file === null) return {}
  return { _attachments: { f: file === 'stub' ? { stub: true } : { data: Buffer.from(file) } } }
}

function toEdit (model, real, { id, above, deleted, file }) {
  const rev = pickRev(model, id, above)
  return { _id: id, ...(rev === null ? {} : { _rev: rev }), ...(deleted ? { _deleted: true } : {}), number: real.count++, ...attachments(file) }
}

/** The model says whether it is accepted; the store says which hash it gets. */
function applyEdit (model, doc, result) {
  const parent = model.parentOf(doc._id, doc._rev ?? null, doc._deleted === true)
  if (parent === undefined) return assert.equal(result.code, 'CONFLICT')
  const before = parent === null ? null : model.find(doc._id, parent).stored
  const stored = storedOf(doc, before)
  if (stored === null) return assert.equal(result.code, 'MISSING_STUB')
  assert.ok(result.ok, result.stack)
  assert.equal(Number(result.rev.split('-')[0]), parent === null ? 1 : Number(parent.split('-')[0]) + 1)
  model.add(doc._id, [result.rev, ...model.history(doc._id, parent)], doc._deleted === true, stored)
}

function storedOf (doc, before) {
  const attachment = doc._attachments?.f
  if (attachment?.stub && (before?.file ?? null) === null) return null
  return { number: doc.number, file: attachment === undefined ? null : attachment.stub ? before.file : attachment.data.toString() }
}

/** Revisions on top of one that is there, or of none; the path goes as far back as it is known to. */
function toReplica (model, real, { id, above, gap, known, hash, deleted, file }) {
  const base = model.history(id, pickRev(model, id, above))
  const start = base.length === 0 ? 0 : Number(base[0].split('-')[0])
  // The hash says where it hangs, as real ones do.
  const added = Array.from({ length: gap + 1 }, (_, i) => `${start + i + 1}-${base[0] ?? ''}x${hash}${'+'.repeat(i)}`.replace(/(?<=-.*)-/g, '_')).reverse()
  const path = [...added, ...base.slice(0, known)]
  const doc = {
    _id: id,
    _rev: path[0],
    _revisions: { start: start + gap + 1, ids: path.map((rev) => rev.slice(rev.indexOf('-') + 1)) },
    ...(deleted ? { _deleted: true } : {}),
    number: real.count++,
    ...attachments(file)
  }
  return { doc, path }
}

const command = (name, arbitrary) => arbitrary.map((drawn) => new Command(name, drawn))

const commands = fc.commands([
  command('edits', fc.array(edit, { minLength: 1, maxLength: 3 })),
  command('edits', fc.array(edit, { minLength: 1, maxLength: 1 })),
  command('replicas', fc.array(replica, { minLength: 1, maxLength: 3 })),
  command('purge', fc.record({ id: fc.constantFrom(...IDS), picks: fc.array(fc.nat(9), { minLength: 1, maxLength: 2 }) })),
  command('compact', fc.constant(null)),
  command('limit', fc.constantFrom(1, 2, 3, 5, 1000)),
  command('local', fc.record({ id: fc.constantFrom('x', 'y'), removes: fc.boolean(), stale: fc.boolean() })),
  command('reopen', fc.constant(null))
], { maxCommands: 40 })

module.exports = { commands }
