'use strict'

const { DatabaseUpdates } = require('../databases/database-updates')

/**
 * The names of all databases, what happens to them (`_db_updates`), and the settings that all servers share: one server
 * writes them, and makes what has to be there.
 */
class Catalogue {
  #foundation
  #cluster
  /** @type {DatabaseUpdates | null} */
  #updates = null
  /** Databases that were updated here, for whoever has the catalogue. @type {Map<string, any>} */
  #noted = new Map()
  /** @type {NodeJS.Timeout | undefined} */
  #telling
  /** @type {any} */
  service

  /** @param {import('../service/foundation').Foundation} foundation @param {import('./cluster').Cluster} cluster */
  constructor (foundation, cluster) {
    this.#foundation = foundation
    this.#cluster = cluster
  }

  /** It is this server's from here on. */
  async open () {
    const { config, log } = this.#foundation
    const { databases } = this.service
    await databases.users.reload()
    await this.#cluster.readConfiguration()
    await this.service.prepareConfig()
    await config.saved()
    await databases.prepare()
    const updates = new DatabaseUpdates(this.#cluster.catalogueLevel, databases.users, config, error => {
      log.line('error', `Updates of databases could not be saved: ${error.stack}`)
      // They may have been, and are numbered in memory.
      databases.users.emit('unsure', null)
    })
    await updates.open()
    this.#updates = this.service.updates = updates
  }

  /** Ends the duties: another server has the catalogue, or none has. */
  async close () {
    const updates = this.#updates
    this.#updates = null
    await updates?.close()
  }

  /** A database was updated here. @param {string} name @param {import('@potoroo/document-store').DocumentStore} store */
  note (name, store) {
    // With the catalogue they are heard of here.
    if (this.#updates !== null) return
    this.#noted.set(name, store)
    this.#telling ??= setTimeout(() => this.#tell(), this.#foundation.config.integer('global_changes', 'max_event_delay')).unref()
  }

  /** Tells them to who has the catalogue: the next one finds what gets lost here. */
  #tell () {
    this.#telling = undefined
    const list = [...this.#noted].map(([name, { instanceId, updateSeq }]) => ({ name, instanceId, updateSeq }))
    this.#noted.clear()
    this.#cluster.tellCatalogue(list).catch(() => {})
  }

  /** Databases were updated by other servers. @param {Array<{ name: string, instanceId: string, updateSeq: number }>} list */
  heed (list) {
    for (const { name, ...source } of list) this.#updates?.touch(name, source)
  }
}

module.exports = { Catalogue }
