'use strict'

const { copyInTurns, isLargeCopy, toObjectInTurns } = require('@potoroo/document-store')
const { numberOf } = require('../stats/metrics')
const { isReplicatorName } = require('../databases/replications-policy')

/** @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore */

const [SCANS, FOUND, DELETED] = ['db_scans', 'docs.dbs_found', 'docs.dbs_deleted'].map(name => numberOf(`couch_replicator.${name}`))

/** Attempts to write into a document that others write into. */
const ATTEMPTS = 20

/** Brings the documents of all `_replicator` databases to the replicator, and what became of them back. */
class ReplicatorDatabases {
  #service
  /** @type {Map<string, Promise<void>>} */
  #followed = new Map()

  /** @param {import('../service/service').Service} service */
  constructor (service) {
    this.#service = service
  }

  /** Follows those that are there, and those that will be. */
  open () {
    const { cluster, counts, databases: { users } } = this.#service
    counts.count(SCANS)
    users.on('created', name => { if (cluster === null) this.#open(name) })
    users.on('opened', store => this.#follow(store))
    users.on('deleted', name => {
      if (isReplicatorName(name)) counts.count(DELETED)
      this.#service.replicator.documents.databaseDeleted(name)
    })
    // The owner of one runs its replications, of several servers.
    if (cluster === null) for (const name of users.list()) this.#open(name)
  }

  /** @param {string} name */
  #open (name) {
    if (!isReplicatorName(name)) return
    this.#service.databases.get(name).then(store => this.#follow(store)).catch(error => this.#report(name, error))
  }

  /** @param {DocumentStore} store */
  #follow (store) {
    if (!isReplicatorName(store.name) || this.#followed.has(store.instanceId)) return
    const followed = this.#read(store).catch(error => { if (!store.closed) this.#report(store.name, error) }).finally(() => this.#followed.delete(store.instanceId))
    // Another server runs them from then on.
    if (this.#service.cluster !== null) store.once('close', () => this.#service.replicator.documents.databaseDeleted(store.name))
    this.#followed.set(store.instanceId, followed)
    this.#service.counts.count(FOUND)
  }

  /** @param {DocumentStore} store */
  async #read (store) {
    for await (const page of store.follow({ includeDocs: true, signal: this.#service.closing })) {
      for (const { id, deleted, document } of page) {
        if (deleted || document === undefined) this.#service.replicator.documents.removed(store.name, id)
        else this.#service.replicator.documents.updated(store.name, await toObjectInTurns(document))
      }
    }
  }

  /** @param {string} name @param {any} error */
  #report (name, error) {
    if (!this.#service.closing.aborted) this.#service.log.line('error', `${name}: ${error.stack}`)
  }

  /**
   * Sets (undefined: removes) members of a document, if it is still there and the one that is meant. A state
   * that changes brings the time when it did.
   *
   * @param {string} name
   * @param {string} id
   * @param {Record<string, any>} members
   * @param {(doc: any) => boolean} isMeant
   */
  async updateDocument (name, id, members, isMeant) {
    for (let attempt = 1; ; attempt++) {
      try {
        const store = await this.#service.databases.get(name)
        const found = await store.get(id)
        const doc = await toObjectInTurns(found, { exact: found.body.length > LARGE })
        const changed = !isMeant(doc) ? null : isLargeCopy(doc) ? await largeWithMembers(doc, members) : withMembers(doc, members)
        if (changed !== null) await store.put(changed)
        return
      } catch (error) {
        if (error.status === 404 || error.code === 'CLOSED') return
        if (error.status !== 409 || attempt === ATTEMPTS) throw error
      }
    }
  }

  /**
   * As whom databases here are used: whom an administrator named, or the owner with the roles that
   * they have now.
   *
   * @param {any} doc
   */
  async userOf ({ user_ctx: context, owner }) {
    if (this.#service.options.adminParty) return { name: null, roles: ['_admin'] }
    if (typeof context === 'object' && context !== null) {
      return { name: typeof context.name === 'string' ? context.name : null, roles: Array.isArray(context.roles) ? context.roles : [] }
    }
    const record = typeof owner === 'string' ? await this.#service.users.find(owner) : null
    return record === null ? { name: null, roles: [] } : { name: record.name, roles: record.roles }
  }
}

/** UTF-16 units of a body above which a document is copied in turns. */
const LARGE = 256 * 1024

/** The same as below of a large document. @param {any} doc @param {Record<string, any>} members */
async function largeWithMembers (doc, members) {
  const names = Object.keys(members)
  const changed = withMembers(Object.fromEntries(names.filter(name => Object.hasOwn(doc, name)).map(name => [name, doc[name]])), members)
  return changed === null ? null : copyInTurns(doc, name => !names.includes(name) || Object.hasOwn(changed, name), changed)
}

/** @param {any} doc @param {Record<string, any>} members @returns {any} null where nothing is to be changed */
function withMembers (doc, members) {
  const changed = { ...doc }
  const before = JSON.stringify(doc)
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) delete changed[name]
    else changed[name] = value
  }
  if (JSON.stringify(changed) === before) return null
  if (doc._replication_state !== changed._replication_state && changed._replication_state !== undefined) {
    changed._replication_state_time = `${new Date().toISOString().slice(0, 19)}Z`
  }
  return changed
}

module.exports = { ReplicatorDatabases }
