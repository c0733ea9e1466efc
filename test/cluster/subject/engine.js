'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { freePort } = require('../../support/free-port')
const { SmallDisk } = require('../../support/small-disk')
const { Postgres, give } = require('./postgres')

/** MiB of the disk that the servers' tables are on, where one may be made. */
const DISK = 192

/** PostgreSQL, a standby that nothing acknowledged may be missing from, and a small disk for the tables. */
class Engine {
  #folder
  #number = 0
  /** @type {Postgres} */
  primary
  /** @type {Postgres | undefined} */
  standby
  /** @type {SmallDisk | undefined} */
  disk

  /** @param {string} folder @param {{ standby: boolean, disk: boolean }} options */
  static async start (folder, { standby, disk }) {
    const engine = new Engine()
    engine.#folder = path.join(folder, 'postgres')
    fs.mkdirSync(engine.#folder)
    give(engine.#folder)
    try {
      engine.primary = await Postgres.create(engine.#next(), await freePort())
      if (disk && SmallDisk.isAllowed()) engine.disk = new SmallDisk(DISK)
      await engine.primary.createDatabase(engine.disk?.path)
      if (standby) await engine.addStandby()
    } catch (error) {
      await engine.stop()
      throw error
    }
    return engine
  }

  /** Commits wait for it from now on. */
  async addStandby () {
    this.standby = await Postgres.standby(this.#next(), await freePort(), this.primary)
    await this.primary.alter("SET synchronous_standby_names = 'standby'")
  }

  /** The primary is lost for good, and the standby takes its place. */
  async promote () {
    await this.primary.kill()
    await this.standby.sql('SELECT pg_promote()')
    this.primary = this.standby
    this.standby = undefined
    // Only the first primary was on it.
    this.disk?.remove()
    this.disk = undefined
  }

  async stop () {
    await Promise.all([this.primary?.kill(), this.standby?.kill()])
    this.disk?.remove()
  }

  #next () { return path.join(this.#folder, String(this.#number++)) }
}

module.exports = { Engine }
