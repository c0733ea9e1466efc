'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { illegalName, isLegalName } = require('@potoroo/document-store')
const { CouchTarget, StoreTarget, parseAddress } = require('@potoroo/import')
const { compressionLevel } = require('../service/attachment-compression')
const { Config } = require('../config/config')
const { heldSettings } = require('../config/environment')
const { ServerDatabases } = require('../databases/server-databases')
const { refuseOther } = require('../storage/data-folder')
const { makeFolder, removeEmpty } = require('../storage/make-folder')
const { openStorage } = require('../storage/open-storage')

/** @typedef {import('../storage/open-storage').OpenStorage} OpenStorage */

/** A server's data folder, which no server has open, as a place where databases go to. */
class FolderTargets {
  #storage
  #databases
  #config
  /** Whether databases that are made here get as many shards as they had. */
  keepsShards = false

  /** Use `open`. @param {string} folder @param {OpenStorage} storage @param {ServerDatabases} databases @param {Config} config */
  constructor (folder, storage, databases, config) {
    this.label = folder
    this.#storage = storage
    this.#databases = databases
    this.#config = config
  }

  /** @param {{ folder: string, storage: string, size?: number, allowVolatile?: boolean, durability?: 'strict' | 'relaxed' }} options */
  static async open ({ folder, storage: name, size, allowVolatile, durability }) {
    if (fs.existsSync(folder)) refuseOther(folder)
    const made = makeFolder(folder)
    const config = new Config(path.join(folder, 'potoroo.ini'), heldSettings())
    const storage = await openNew({ folder, storage: name, size, allowVolatile, durability }, made)
    try {
      return new FolderTargets(folder, storage, await ServerDatabases.open(storage.level, config, { compressionLevel: compressionLevel(config) }), config)
    } catch (error) {
      await storage.close()
      throw error
    }
  }

  /** @param {string} name */
  has (name) { return this.#databases.has(name) }

  /**
   * Makes the database where it is not there.
   *
   * @param {string} name
   * @param {{ partitioned?: boolean, access?: boolean }} [options]
   * @throws illegal_database_name
   */
  async open (name, { partitioned = false, access = false } = {}) {
    if (!isLegalName(name)) throw illegalName(name)
    if (!this.has(name)) await this.#databases.create(name, { partitioned, access })
    if (this.#databases.sharded(name) !== undefined) throw new Error(`${name} has several shards: import into a server that runs, with --server`)
    return new StoreTarget(await this.#databases.take(name))
  }

  /** @param {string} uuid that the server is to have */
  takeUuid (uuid) { this.#config.set('couchdb', 'uuid', uuid) }

  async close () {
    await this.#databases.close()
    await this.#storage.flush()
    await this.#storage.close()
  }
}

/** @param {any} options @param {string[]} made */
async function openNew (options, made) {
  try {
    return await openStorage(options)
  } catch (error) {
    removeEmpty(made)
    throw error
  }
}

/** A server that runs, as a place where databases go to. */
class ServerTargets {
  #address
  #options
  /** @type {CouchTarget[]} */
  #open = []
  keepsShards = true

  /**
   * @param {string} address of the server
   * @param {object} options see CouchTarget
   */
  constructor (address, options) {
    this.#address = parseAddress(address)
    this.#options = options
    this.label = this.#address.url
  }

  /** @param {string} name @param {{ partitioned?: boolean, access?: boolean, q?: number }} [options] */
  async open (name, { partitioned = false, access = false, q } = {}) {
    if (!isLegalName(name)) throw illegalName(name)
    const target = await CouchTarget.open({ ...this.#address, url: `${this.#address.url}/${encodeURIComponent(name)}` }, this.#options, { partitioned, access, q })
    this.#open.push(target)
    return target
  }

  async close () { await Promise.all(this.#open.map(target => target.close())) }
}

module.exports = { FolderTargets, ServerTargets }
