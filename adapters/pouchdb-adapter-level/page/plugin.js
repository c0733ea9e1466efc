'use strict'

const { Adapter } = require('pouchdb-adapter-document-store/lib/adapter')
const { connect, toPlugin } = require('pouchdb-adapter-document-store/lib/create-adapter')
const { installDirectMethods } = require('pouchdb-adapter-document-store/lib/direct-methods')
const { openError } = require('pouchdb-adapter-document-store/lib/open-error')
const { openOnLevel } = require('pouchdb-adapter-document-store/lib/open-on-level')
const { SharedStores } = require('pouchdb-adapter-document-store/lib/shared-stores')
const { followLeader } = require('./tabs/follow-leader')
const { PageLevel } = require('./level/page-level')
const { LeaderElection } = require('./tabs/leader-election')

/** The names of databases in IndexedDB begin with it. */
const PREFIX = 'potoroo-'

/** Options of an instance that another tab's stand-in for it has to have, too. */
const KEPT = ['auto_compaction', 'revs_limit', 'deterministic_revs', 'purged_infos_limit']

const stores = new SharedStores()

/** @this {any} a PouchDB instance @param {Record<string, any>} options @param {(error?: unknown) => void} callback */
function LevelPouch (options, callback) {
  const db = this
  const { name } = options
  const location = PREFIX + name
  const use = installDirectMethods(db)
  const kept = Object.fromEntries(KEPT.filter(key => options[key] !== undefined).map(key => [key, options[key]]))
  const client = { id: crypto.randomUUID(), options: kept }
  const election = LeaderElection.of(location, (id, given) => new db.constructor(name, { ...given, adapter: 'level' }))
  election.onDestroyed(() => { if (!db._destroyed) db.emit('destroyed') })
  open().then(() => callback(), error => election.leave(client.id).finally(() => callback(openError(name, error))))

  async function open () {
    await election.decided
    return election.isLeading ? openHere() : follow()
  }

  async function openHere () {
    const opened = await stores.acquire(location, () => openOnLevel(new PageLevel(location), { name }, () => PageLevel.destroy(location)))
    const adapter = new Adapter(db, opened.store, options)
    connect(adapter, {
      close: () => stores.release(location, opened).finally(() => election.leave(client.id)),
      destroy: () => stores.destroy(location, opened).finally(() => election.destroyed())
    })
    use(adapter)
  }

  function follow () {
    followLeader(db, election, client)
    db._close = (/** @type {any} */ done) => election.leave(client.id).then(() => done(), done)
    db._destroy = (/** @type {any} */ given, /** @type {any} */ done) => election.ask(client, 'destroy', []).then(() => done(null, { ok: true }), done)
  }
}

const plugin = toPlugin('level', LevelPouch)

module.exports = { plugin }
