'use strict'

const { stateOf, toSeen } = require('./subjects')

const SIZES = [1, 1000, 1000, 65536, 300000, 600000]
const MAX_LEAVES = 5

/**
 * One who writes to documents of its own, one write at a time, and tells a ledger.
 *
 * @typedef {{ store: any, tell: (event: object) => void, random: () => number, streams?: boolean }} Load
 *   random as Math.random
 */
class Writer {
  #load
  #name
  #states = new Map()

  /**
   * @param {Load} load
   * @param {string} name
   */
  constructor (load, name) {
    this.#load = load
    this.#name = name
  }

  /** Does one thing. */
  async step () {
    const [action] = this.#pick(ACTIONS)
    await this[action]()
  }

  #below (limit) { return Math.floor(this.#load.random() * limit) }
  #pick (list) { return list[this.#below(list.length)] }
  #number () { return Math.floor(this.#load.random() * 2 ** 48) }
  #id () { return `${this.#name}-${this.#below(4)}` }

  async #stateOf (subject) {
    if (!this.#states.has(subject)) this.#states.set(subject, await stateOf(this.#load.store, subject))
    return this.#states.get(subject)
  }

  /** Tells, writes, and tells the outcome. */
  async #change (changes, write) {
    this.#load.tell({ begins: changes })
    const results = await attempt(write)
    if (results instanceof Error) return this.#load.tell({ fails: changes.map(({ subject }) => subject) })
    results?.forEach((result, i) => {
      if (result instanceof Error) throw result
      const leaf = changes[i].state.find(({ rev }) => rev === null)
      if (leaf !== undefined) leaf.rev = result.rev
    })
    for (const { subject, state } of changes) this.#states.set(subject, state)
    this.#load.tell({ ends: changes })
  }

  async edit () {
    const edit = await this.#edit(this.#id())
    await this.#change([edit.change], () => this.#load.store.write([edit.doc]))
  }

  async several () {
    const edits = []
    for (const id of new Set([this.#id(), this.#id(), this.#id()])) edits.push(await this.#edit(id))
    const docs = edits.map(({ doc }) => doc)
    const { store, random } = this.#load
    const allOrNothing = random() < 0.5
    const reads = random() < 0.5 ? await Promise.all(docs.map(({ _id: id }) => this.#read(id))) : null
    await this.#change(edits.map(({ change }) => change), () => reads === null ? store.write(docs, { allOrNothing }) : store.transact({ reads, writes: docs }))
  }

  async #read (id) { return { id, rev: await this.#load.store.get(id).then(({ rev }) => rev, () => null) } }

  /** A transaction whose read does not hold. */
  async stale () {
    const { doc } = await this.#edit(this.#id())
    const result = await this.#load.store.transact({ reads: [{ id: this.#id(), rev: '1-no' }], writes: [doc] }).catch((error) => error)
    if (result.code !== 'CONFLICT' && result.code !== 'NO_SPACE') throw result
  }

  /** One document that is refused, and with it another one. */
  async nothing () {
    const { doc } = await this.#edit(this.#id())
    const refused = { _id: doc._id === `${this.#name}-0` ? `${this.#name}-1` : `${this.#name}-0`, _rev: '1-no', number: 0 }
    const results = await attempt(() => this.#load.store.write([doc, refused], { allOrNothing: true }))
    if (results instanceof Error) return
    if (results[0].code !== 'NOT_ALL' || results[1].code !== 'CONFLICT') throw results[0]
  }

  async purge () {
    const { store, tell } = this.#load
    const id = this.#id()
    const leaves = await this.#stateOf(id)
    if (leaves === null) return
    const gone = leaves.filter(() => this.#load.random() < 0.7)
    const left = leaves.filter((leaf) => !gone.includes(leaf))
    const revs = gone.map(({ rev }) => rev)
    await this.#change([{ subject: id, state: left.length === 0 ? null : left }], () => store.purge({ [id]: revs }).then(() => {}))
    const { purges } = await store.purges()
    tell({ purges: purges.map((purge) => [purge.seq, purge.id, purge.revs]) })
  }

  /** An interactive edit, of one of the leaves where there are some. */
  async #edit (id) {
    const leaves = await this.#stateOf(id) ?? []
    const parent = leaves.length === 0 ? null : this.#pick(leaves)
    const doc = this.#body(id, parent)
    if (parent !== null) doc._rev = parent.rev
    return { doc, change: { subject: id, state: this.#followed(leaves, parent, doc) } }
  }

  /** A document's next body, and attachment: a new one, the one before, or none. */
  #body (id, parent) {
    const doc = { _id: id, number: this.#number() }
    if (this.#load.random() < 0.2) doc._deleted = true
    const chance = this.#load.random()
    if (chance < 0.2) this.#attach(doc)
    else if (chance < 0.6 && parent !== null && parent.size > 0) doc._attachments = { f: { stub: true } }
    return doc
  }

  #attach (doc) {
    const size = this.#pick(SIZES)
    const fill = this.#below(3)
    const data = this.#load.random() < 0.5 ? Buffer.alloc(size, fill) : stream(size, fill)
    doc._attachments = { f: { data } }
    Object.defineProperty(doc, 'made', { value: { size, fill } })
  }

  /** The leaves once a document has followed one of them, or none. */
  #followed (leaves, parent, doc, rev = null) {
    const { size, fill } = doc._attachments === undefined ? { size: 0, fill: 0 } : doc.made ?? parent
    const leaf = { number: doc.number, rev, deleted: doc._deleted === true, size, fill }
    return [...leaves.filter((other) => other !== parent), leaf].sort((a, b) => a.number - b.number)
  }

  /** A revision from elsewhere: it follows a leaf, perhaps with one between, or branches off. */
  async replicate () {
    const { store } = this.#load
    const id = this.#id()
    const leaves = await this.#stateOf(id) ?? []
    const base = leaves.length === 0 ? null : this.#pick(leaves)
    const path = base === null ? { start: 1 + this.#below(3), ids: [] } : await historyOf(store, id, base)
    const chance = leaves.length >= MAX_LEAVES ? 0 : this.#load.random()
    if (base !== null && chance > 0.5) backUp(path, chance)
    const extended = base !== null && path.ids.length > 0 && base.rev === `${path.start}-${path.ids[0]}` ? base : null
    const doc = this.#body(id, extended)
    const added = this.#load.random() < 0.5 ? [`b${doc.number}`] : [`b${doc.number}`, `a${doc.number}`]
    doc._revisions = { start: path.start + added.length, ids: [...added, ...path.ids] }
    doc._rev = `${doc._revisions.start}-${doc._revisions.ids[0]}`
    const state = this.#followed(leaves, extended, doc, doc._rev)
    await this.#change([{ subject: id, state }], () => store.write([doc], { newEdits: false }))
  }

  async local () {
    const id = `_local/${this.#name}`
    const { store } = this.#load
    const known = await store.getLocal(id).catch(() => undefined)
    if (known !== undefined && this.#load.random() < 0.3) {
      return this.#change([{ subject: id, state: null }], () => store.removeLocal({ _id: id, _rev: known.rev }).then(() => {}))
    }
    const doc = { _id: id, _rev: known?.rev, number: this.#number() }
    await this.#change([{ subject: id, state: doc.number }], () => store.putLocal(doc).then(() => {}))
  }

  async value () {
    const subject = `meta ${this.#name}`
    const state = this.#load.random() < 0.3 ? null : this.#number()
    await this.#change([{ subject, state }], () => this.#load.store.setMeta(subject, state ?? undefined))
  }

  async refused () {
    const results = await attempt(() => this.#load.store.write([{ _id: this.#id(), _rev: '1-no', number: 0 }]))
    if (results instanceof Error) return
    const [result] = results
    if (result.code !== 'CONFLICT') throw result
  }
}

/** Returns what the write gives, or its error if there was no room: then nothing has changed. */
async function attempt (write) {
  try {
    return await write()
  } catch (error) {
    if (error.code !== 'NO_SPACE') throw error
    return error
  }
}

const ACTIONS = Object.entries({ edit: 6, several: 3, replicate: 5, purge: 2, local: 2, value: 1, refused: 1, nothing: 1, stale: 1 })
  .flatMap(([action, weight]) => Array.from({ length: weight }, () => [action]))

async function historyOf (store, id, { rev }) {
  const { revisions } = await store.get(id, { rev, revs: true })
  return { start: revisions.start, ids: [...revisions.ids] }
}

/** To an ancestor, or away from the tree. */
function backUp (path, chance) {
  const steps = chance > 0.9 ? path.ids.length : 1
  path.ids.splice(0, steps)
  path.start -= steps
}

async function * stream (size, fill) {
  for (let left = size; left > 0; left -= 100000) yield Buffer.alloc(Math.min(left, 100000), fill)
}

/** Lowers and raises the limit of revisions, keeps earlier versions or not, and compacts. */
async function tend ({ store, tell, random }) {
  if (random() < 0.7) return attempt(() => store.compact())
  if (random() < 0.3) return attempt(() => store.setRetention([{ versions: 2 }, { retain: '1s' }, { retain: '1d' }, {}][Math.floor(random() * 4)]))
  if (random() < 0.3) return attempt(() => store.setPurgedInfosLimit(1 + Math.floor(random() * 9)))
  const changes = [{ subject: 'limit', state: 1 + Math.floor(random() * 6), was: store.revsLimit }]
  tell({ begins: changes })
  const result = await attempt(() => store.setRevsLimit(changes[0].state))
  tell(result instanceof Error ? { fails: ['limit'] } : { ends: changes })
}

/** Tells what a reader is told, until the store closes. */
async function listen ({ store, tell }) {
  for await (const page of store.follow({ since: store.updateSeq, style: 'all_docs' })) {
    if (page.length > 0) tell({ seen: page.map(toSeen) })
    tell({ sequence: store.updateSeq })
  }
}

module.exports = { Writer, tend, listen }
