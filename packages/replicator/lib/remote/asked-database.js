'use strict'

const { RemoteDatabase } = require('./remote-database')

/** A database here that is asked by requests, as those of several shards are. */
class AskedDatabase extends RemoteDatabase {
  #name

  /**
   * @param {string} name
   * @param {import('./peer').Peer} peer whose requests are answered here
   * @param {import('../request/request').ReplicationRequest} request
   */
  constructor (name, peer, request) {
    super(peer, request)
    this.#name = name
  }

  get shown () { return this.#name }

  /** It is there already, whatever is asked for. */
  open () { return super.open(false, {}) }
}

module.exports = { AskedDatabase }
