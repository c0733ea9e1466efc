'use strict'

const { ReplicationError, badAnswer, notFound, unauthorized } = require('../replication/failure')
const { documentPath } = require('../request/paths')
const { fetchDocuments } = require('./fetch-documents')
const { isRevision, RemoteChanges } = require('./remote-changes')
const { Writer } = require('./writer')

/**
 * A database elsewhere, as a side of a replication.
 */
class RemoteDatabase {
  #peer
  #request
  #changes
  #writer

  /**
   * @param {import('./peer').Peer} peer
   * @param {import('../request/request').ReplicationRequest} request
   */
  constructor (peer, request) {
    this.#peer = peer
    this.#request = request
    this.#changes = new RemoteChanges(peer, request)
    this.#writer = new Writer(peer)
  }

  get shown () { return this.#peer.shown }

  /** @param {boolean} create @param {Record<string, any>} params */
  async open (create, params) {
    if (create) {
      const { status } = await this.#peer.request('PUT', '', { query: params })
      // Other faults show when it is opened: 412, it is there.
      if (status === 401) throw unauthorized(this.shown)
      if (status === 403) throw new ReplicationError('forbidden', this.shown)
    }
    const { status, json } = await this.#peer.request('GET', '')
    if (status === 401) throw unauthorized(this.shown)
    if (status === 403) throw new ReplicationError('forbidden', this.shown)
    // Places that are no database answer too: a server its welcome, a proxy its own pages.
    if (status !== 200 || json?.update_seq === undefined || json.instance_start_time === undefined) throw notFound(this.shown)
    return { updateSeq: json.update_seq, instance: json.instance_start_time }
  }

  /** @param {string} id */
  async getLocal (id) {
    const { status, json } = await this.#peer.request('GET', documentPath(id))
    if (status === 200 && typeof json === 'object' && json !== null) return json
    if (status === 404) return null
    throw new ReplicationError('checkpoint_read_failure', `${status} ${json?.error}`)
  }

  /** @param {any} doc */
  async putLocal (doc) {
    const { status, json } = await this.#peer.request('PUT', documentPath(doc._id), { json: doc })
    if (status === 200 || status === 201 || status === 202) return json.rev
    if (status === 409) return this.#writtenAlready(doc)
    throw new ReplicationError('checkpoint_commit_failure', `${json?.error ?? status}`)
  }

  /**
   * The answer may have been lost, and the request sent again: then it conflicts with itself.
   * @param {any} doc
   */
  async #writtenAlready (doc) {
    const there = await this.getLocal(doc._id)
    if (there === null || there.session_id !== doc.session_id || JSON.stringify(there.source_last_seq) !== JSON.stringify(doc.source_last_seq)) {
      throw new ReplicationError('checkpoint_commit_failure', 'conflict')
    }
    return there._rev
  }

  async commit () {
    const { status, json } = await this.#peer.request('POST', '_ensure_full_commit', { body: '' })
    if (status === 201) return json.instance_start_time
    throw new ReplicationError('checkpoint_commit_failure', `${json?.error ?? status}`)
  }

  /** @param {any} since @param {() => number} [limitOf] */
  untilNow (since, limitOf) { return this.#changes.untilNow(since, limitOf) }

  /** @param {any} since */
  asTheyHappen (since) { return this.#changes.asTheyHappen(since) }

  /** @param {any} since */
  pending (since) { return this.#changes.pending(since) }

  /** @param {string} design @param {string} name */
  async filterCode (design, name) {
    const { status, json } = await this.#peer.request('GET', documentPath(`_design/${design}`))
    if (status !== 200) throw new ReplicationError('filter_fetch_error', `Couldn't open document \`_design/${design}\` from source database \`${this.shown}\`: ${json?.error ?? status}`)
    return json?.filters?.[name]
  }

  /** @param {Map<string, string[]>} revs @returns {Promise<import('../replication/side').Wanted[]>} */
  async revsDiff (revs) {
    // An object of hundreds of names takes longer to make than all the rest.
    const asked = Array.from(revs, ([id, some]) => `${JSON.stringify(id)}:${JSON.stringify(some)}`)
    const answer = await this.#peer.request('POST', '_revs_diff', { body: `{${asked.join()}}` })
    const { status, json } = answer
    if (status !== 200 || typeof json !== 'object' || json === null) throw badAnswer('revs_diff_failed', answer)
    return Object.entries(json).flatMap(([id, { missing = [], possible_ancestors: ancestors = [] }]) => {
      // Only what was asked for is missing, whatever the peer says.
      const attsSince = ancestors.filter(isRevision)
      return (revs.get(id) ?? []).filter(rev => missing.includes(rev)).map(rev => ({ id, rev, attsSince }))
    })
  }

  /** @param {import('../replication/side').Wanted[]} wanted @param {import('./fetch-documents').How} [how] */
  fetch (wanted, how) { return fetchDocuments(this.#peer, this.#request, wanted, how) }

  /** @param {import('../replication/side').FetchedDocument[]} documents */
  write (documents) { return this.#writer.write(documents) }

  /**
   * Asks for anything else that is under the database's URL.
   * @param {string} method
   * @param {string} path
   * @param {import('./peer').Question} [options]
   */
  request (method, path, options) { return this.#peer.request(method, path, options) }

  async close () { this.#peer.close() }
}

module.exports = { RemoteDatabase }
