'use strict'

/** How often is looked for what others changed, milliseconds. */
const POLL = 500

/** Key of what is set over the ini files of all servers. */
const CONFIGURATION = 'cluster/configuration'

const TEXT = { keyEncoding: 'utf8', valueEncoding: 'utf8' }

/** @typedef {Record<string, Record<string, string | null>>} Sections */

/**
 * Settings and users that other servers change, as they are in the engine: a change is in force here within a second.
 *
 *   cluster/configuration   JSON { version, sections }: what is set over the ini files of all servers
 */
class Watch {
  #level
  #config
  #warn
  #text = JSON.stringify({ version: 0, sections: {} })
  #isFailing = false
  /** Whether what was stored at the start is known. */
  #isFollowing = false
  /** The users' database, and how far it was read. @type {{ reader: any, seq: number | undefined }} */
  #users = { reader: null, seq: undefined }
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #closed = false

  /** @param {any} level @param {import('../config/config').Config} config @param {(text: string) => void} warn */
  constructor (level, config, warn) {
    this.#level = level
    this.#config = config
    this.#warn = warn
  }

  get #version () { return JSON.parse(this.#text).version }

  /** Takes the settings that are stored. */
  async read () {
    const text = await this.#level.get(CONFIGURATION, TEXT)
    // A newer one may have come meanwhile.
    if (text === undefined || JSON.parse(text).version <= this.#version) return
    this.#text = text
    this.#config.receive(JSON.parse(text).sections, this.#isFollowing)
  }

  /** @param {any} level that the catalogue is written on @param {Sections} sections */
  async write (level, sections) {
    const text = JSON.stringify({ version: this.#version + 1, sections })
    await level.put(CONFIGURATION, text, TEXT)
    this.#text = text
  }

  /** Takes what is stored again, as what was set could not be stored. */
  revert () { this.#config.receive(JSON.parse(this.#text).sections) }

  /** Looks again and again. @param {Pick<import('../service/service').Service, 'databases' | 'users'>} service */
  open (service) {
    this.#isFollowing = true
    const poll = async () => {
      await this.#look(service)
      if (!this.#closed) this.#timer = setTimeout(poll, POLL).unref()
    }
    poll()
  }

  /** @param {Pick<import('../service/service').Service, 'databases' | 'users'>} service */
  async #look (service) {
    try {
      await this.read()
      if (!service.databases.cluster?.ownsCatalogue) await service.databases.users.readShards()
      await this.#forgetUsers(service)
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#warn(`Changes of other servers cannot be read: ${error.message}`)
      this.#isFailing = true
    }
  }

  /** @param {Pick<import('../service/service').Service, 'databases' | 'users'>} service */
  async #forgetUsers ({ databases, users }) {
    // Another server may have made it again.
    const number = await databases.users.lookUp(users.database)
    const reader = number === undefined ? null : await databases.users.reader(users.database)
    if (reader !== this.#users.reader) {
      this.#users = { reader, seq: undefined }
      users.forgetAll()
    }
    if (reader === null) return
    const { ids, seq } = await reader.changedSince(this.#users.seq)
    this.#users.seq = seq
    if (ids.length > 0) users.forgetDocuments(ids)
  }

  close () {
    this.#closed = true
    clearTimeout(this.#timer)
  }
}

module.exports = { CONFIGURATION, Watch }
