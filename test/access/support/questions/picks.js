'use strict'

const { winner } = require('../model')

const path = (/** @type {string} */ id) => id.split('/').map(encodeURIComponent).join('/')
const text = (/** @type {any} */ value) => encodeURIComponent(JSON.stringify(value))

/** Parts of questions: documents of the model, seen or not, their revisions and attachments, and parameters. */
class Picks {
  /**
   * @param {import('../world').World} world
   * @param {import('../world').User} person who asks
   * @param {boolean} blind whether secret documents are left out
   */
  constructor (world, person, blind) {
    this.world = world
    this.chance = world.chance
    this.blind = blind
    this.documents = world.model.documents.filter(({ secret }) => !(blind && secret))
    /** Documents that they are not to see. */
    this.hidden = this.documents.filter(document => !world.model.sees(person, document))
  }

  document () { return this.chance.one(this.hidden.length > 0 && this.chance.happens(0.6) ? this.hidden : this.documents) }

  id () { return this.document().id }

  /** The same for a path. */
  idPath () { return path(this.id()) }

  /** A document that is no design document, or none. */
  plainPath () { return path(this.chance.one(['nothing', ...this.documents.map(({ id }) => id).filter(id => !id.startsWith('_'))])) }

  /** @param {any} [document] */
  rev (document = this.document()) { return this.chance.happens(0.5) ? winner(document).rev : this.chance.one(document.revs) }

  /** A document and one of its attachments, if there are any. */
  attachmentPath () {
    const all = this.documents.flatMap(({ id, leaves }) => leaves.flatMap(({ rev, attachments }) => Object.keys(attachments).map(name => ({ id, rev, name }))))
    const { id, rev, name } = all.length === 0 ? { id: this.id(), rev: '1-0', name: 'file' } : this.chance.one(all)
    return `/${path(id)}/${path(name)}${this.chance.happens(0.5) ? `?rev=${rev}` : ''}`
  }

  /** Up to all of these parameters. @param {Record<string, () => any>} parameters */
  query (parameters) {
    const parts = this.chance.some(Object.keys(parameters)).map(name => `${name}=${parameters[name]()}`)
    return parts.length === 0 ? '' : `?${parts.join('&')}`
  }

  /** The same as members of a body. @param {Record<string, () => any>} parameters */
  body (parameters) {
    return Object.fromEntries(this.chance.some(Object.keys(parameters)).map(name => [name, JSON.parse(decodeURIComponent(parameters[name]()))]))
  }

  flag = () => this.chance.one(['true', 'false'])
  yes = () => 'true'
  few = () => String(1 + this.chance.below(5))
  ids = () => text([this.id(), this.id(), this.id()])

  /** A moment before: a sequence, as administrators know them, or a time. */
  at = () => this.chance.one([String(this.chance.below(60)), new Date(this.#time()).toISOString()])

  /** Two databases that are compared are the same between two changes, not in the middle of one. */
  #time () {
    const { begun, rests } = this.world
    return this.blind ? this.chance.one(rests) : begun + this.chance.below(Date.now() - begun)
  }

  /** Parameters of a range of ids. */
  get range () {
    return {
      ...(this.chance.happens(0.1) && { at: this.at, meta: this.yes }),
      include_docs: this.yes,
      conflicts: this.yes,
      attachments: this.yes,
      descending: this.flag,
      limit: this.few,
      skip: this.few,
      update_seq: this.yes,
      inclusive_end: this.flag,
      ...this.chance.one([{ keys: this.ids }, { key: () => text(this.id()) }, { startkey: () => text(this.id()) }, { endkey: () => text(this.id()) }, {}])
    }
  }

  /** Parameters of a view that is not reduced. */
  get rows () { return { ...this.range, reduce: () => 'false', sorted: this.flag, update: () => 'true' } }

  /** Parameters of a view that is. */
  get reduced () { return { group: this.flag, group_level: this.few, startkey: () => text(this.chance.below(5)), skip: this.few } }

  /** Parameters of a document. @param {any} document */
  single (document) {
    return {
      ...(this.chance.happens(0.1) && { at: this.at }),
      rev: () => this.rev(document),
      revs: this.yes,
      revs_info: this.yes,
      conflicts: this.yes,
      deleted_conflicts: this.yes,
      meta: this.yes,
      local_seq: this.yes,
      latest: this.yes,
      attachments: this.yes,
      att_encoding_info: this.yes,
      open_revs: () => this.chance.one(['all', text([this.rev(document), this.rev(document)])])
    }
  }

  /** Parameters of changes. */
  get changes () {
    return {
      style: () => 'all_docs',
      include_docs: this.yes,
      conflicts: this.yes,
      attachments: this.yes,
      descending: this.flag,
      limit: this.few,
      seq_interval: this.few,
      ...this.chance.one([{ filter: () => 'all/all' }, { filter: () => 'all/odd' }, { filter: () => '_view&view=all/ids' }, { filter: () => '_design' }, { filter: () => '_doc_ids', doc_ids: this.ids }, {}]),
      ...this.chance.one([{}, {}, { feed: () => 'longpoll&timeout=1' }, { feed: () => 'continuous&timeout=1' }, { feed: () => 'eventsource&timeout=1' }, { feed: () => 'replication' }, { since: () => 'now' }])
    }
  }

  /** Bodies of `_find`. */
  find () {
    return {
      selector: this.chance.one([
        {}, { number: { $gte: this.chance.below(10) } }, { _id: { $gt: null } }, { _id: this.id() }, { text: { $regex: 'kanary' } }, { number: { $in: [1, 2, 3] } },
        { $or: [{ number: 1 }, { _id: this.id() }] }, { _access: { $exists: true } }, { _access: { $elemMatch: { $eq: 'spies' } } }
      ]),
      ...this.chance.one([{}, { limit: 3 }, { skip: 1 }, { fields: ['_id', 'text'] }, { sort: ['number'], use_index: 'index' }, { use_index: 'index' }, { execution_stats: true }, { conflicts: true }, { r: 1 }])
    }
  }

  jsonQuery () { return this.chance.one(['$', '[?number>3][=text]', '$.length', '$..text']) }

  design () { return this.chance.one(['all', 'own']) }
  view () { return this.chance.one(['ids', 'values', 'linked', 'count', 'sum', 'words']) }
}

module.exports = { Picks, path, text }
