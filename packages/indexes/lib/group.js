'use strict'

const crypto = require('node:crypto')
const { Rows } = require('./rows')
const { mapperFor, libraryOf } = require('./mapper')

/** Documents that are mapped and written at once. */
const BATCH = 500

/** The part of the keys that names a database's views. */
function databasePrefix (database) { return `views/${database.instanceId}/` }

/**
 * The views of a design document that can be indexed.
 * @param {any} ddoc
 * @returns {string[]}
 */
function viewNames ({ language, views = {} }) {
  const isMap = language === 'query' ? map => typeof map?.fields === 'object' : map => typeof map === 'string'
  return Object.keys(views).filter(name => name !== 'lib' && isMap(views[name]?.map))
}

/** The same for design documents that give the same rows: a name for their index. */
function signatureOf (ddoc, names) {
  const said = JSON.stringify([ddoc.language ?? 'javascript', names, names.map(name => ddoc.views[name].map), libraryOf(ddoc), ddoc.options])
  return crypto.createHash('md5').update(said).digest('hex')
}

/** The views of one design document: they are indexed together, from the changes of the database. */
class Group {
  #mapper
  #updating = null

  /**
   * @param {any} level
   * @param {import('@potoroo/document-store').DocumentStore} database
   * @param {any} ddoc
   * @param {import('@potoroo/query-server').QueryServer} queryServer
   */
  constructor (level, database, ddoc, queryServer) {
    this.database = database
    this.names = viewNames(ddoc)
    this.language = ddoc.language ?? 'javascript'
    this.signature = signatureOf(ddoc, this.names)
    this.includesDesign = ddoc.options?.include_design === true
    this.#mapper = mapperFor(ddoc, this.names, queryServer)
    this.rows = new Rows(level, `${databasePrefix(database)}${this.signature}/`, this.names.length)
  }

  get updating () { return this.#updating !== null }

  /** Nothing is written any more once this resolves, unless somebody asks again. */
  async settled () { await this.#updating?.catch(() => {}) }

  /** Indexes what was written up to now. Who asks meanwhile waits for the one that runs, then looks again. */
  async update () {
    const wanted = this.database.updateSeq
    while ((await this.rows.meta()).seq < wanted) {
      this.#updating ??= this.#index().finally(() => { this.#updating = null })
      await this.#updating
    }
  }

  async #index () {
    await this.#followPurges()
    const { seq } = await this.rows.meta()
    const changes = this.database.changes({ since: seq, includeDocs: true, conflicts: true, deletedConflicts: true })
    const batch = []
    for await (const page of changes) {
      batch.push(...page)
      while (batch.length >= BATCH) await this.#write(batch.splice(0, BATCH))
    }
    await this.#write(batch, changes.lastSeq)
  }

  /**
   * Takes the rows of purged documents anew, before the changes are read: a document may have come
   * again since. Where purges are forgotten already, all is indexed again.
   */
  async #followPurges () {
    const { seq, purgeSeq } = await this.rows.meta()
    const { oldest, last, purges } = await this.database.purges({ since: purgeSeq })
    if (last === purgeSeq) return
    if (purgeSeq < oldest - 1) await this.rows.clear()
    const ids = purgeSeq < oldest - 1 || seq === 0 ? [] : [...new Set(purges.map(({ id }) => id))]
    const changes = []
    for await (const page of this.database.changes({ docIds: ids, includeDocs: true, conflicts: true, deletedConflicts: true })) changes.push(...page)
    const found = new Set(changes.map(({ id }) => id))
    const gone = ids.filter(id => !found.has(id)).map(id => ({ id, deleted: true }))
    await this.#write([...changes, ...gone], (await this.rows.meta()).seq, last)
  }

  /** Deleted documents have no rows, and design documents only where the options say so. */
  async #write (changes, seq = changes.at(-1).seq, purgeSeq) {
    const wanted = changes.filter(({ id, deleted }) => !deleted && (this.includesDesign || !id.startsWith('_design/')))
    const mapped = wanted.length === 0 ? [] : await this.#mapper(wanted.map(({ document }) => document))
    const rowsOf = new Map(wanted.map(({ id }, i) => [id, mapped[i]]))
    await this.rows.replace(changes.map(({ id }) => ({ id, rows: rowsOf.get(id) ?? null })), seq, purgeSeq)
  }
}

module.exports = { Group, databasePrefix, signatureOf, viewNames }
