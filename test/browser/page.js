'use strict'

/** Functions that the tests in the page share. */
window.page = (() => {
  const { server, control, admin } = window.__karma__.config.potoroo
  const assert = window.chai.assert
  window.chai.config.truncateThreshold = 0
  let count = 0
  /** @type {Array<() => unknown>} */
  const cleanups = []

  function uniqueName (word) {
    count += 1
    return `${word}-${Date.now().toString(36)}-${count}`
  }

  /** Calls these once the test is over, the last one first. */
  function later (cleanup) {
    cleanups.push(cleanup)
  }

  async function cleanUp () {
    while (cleanups.length > 0) await cleanups.pop()()
  }

  /** A database in this browser. */
  function browserDatabase () {
    const database = new PouchDB(uniqueName('local'))
    later(() => database.destroy())
    return database
  }

  async function asAdmin (method, path, body) {
    const response = await fetch(server + path, {
      method,
      headers: { 'Content-Type': 'application/json', Authorization: `Basic ${btoa(`${admin.username}:${admin.password}`)}` },
      body: body === undefined ? undefined : JSON.stringify(body)
    })
    assert.isTrue(response.ok, `${method} ${path}: ${response.status} ${await response.clone().text()}`)
    return response.json()
  }

  /** Makes a database on the server; public: anybody may read and write. Fulfils with its name. */
  async function serverDatabase ({ open = true } = {}) {
    const name = uniqueName('remote')
    await asAdmin('PUT', `/${name}`)
    later(() => asAdmin('DELETE', `/${name}`))
    if (open) await asAdmin('PUT', `/${name}/_security`, { admins: { names: [], roles: [] }, members: { names: [], roles: [] } })
    return name
  }

  function urlOf (name) {
    return `${server}/${name}`
  }

  /** Keeps two databases in step until the test is over. */
  function keepInSync (database, name, options = {}) {
    const sync = database.sync(urlOf(name), { live: true, retry: true, ...options })
    // An error rejects the promise of the sync, which would else go unseen.
    const ended = new Promise(resolve => sync.on('complete', resolve).on('error', resolve))
    later(async () => {
      sync.cancel()
      await ended
    })
    return sync
  }

  /** Fulfils with the first change that passes, from the beginning of the feed on. */
  function firstChange (database, passes) {
    return new Promise((resolve, reject) => {
      const feed = database.changes({ since: 0, live: true, include_docs: true, conflicts: true })
      feed.on('change', change => {
        if (!passes(change)) return
        feed.cancel()
        resolve(change)
      })
      feed.on('error', reject)
    })
  }

  /** Fulfils once the database has all of these documents, live. */
  function allPresent (database, ids) {
    const missing = new Set(ids)
    return firstChange(database, change => {
      if (!change.deleted) missing.delete(change.id)
      return missing.size === 0
    })
  }

  /** Fulfils with the next event of that name. */
  function event (emitter, name) {
    return new Promise(resolve => emitter.once(name, resolve))
  }

  async function controlServer (word) {
    const response = await fetch(`${control}/${word}`, { method: 'POST' })
    assert.isTrue(response.ok, await response.text())
  }

  return {
    server,
    admin,
    assert,
    uniqueName,
    later,
    cleanUp,
    browserDatabase,
    serverDatabase,
    asAdmin,
    urlOf,
    keepInSync,
    firstChange,
    allPresent,
    event,
    killServer: () => controlServer('kill'),
    startServer: () => controlServer('start')
  }
})()

afterEach('clean up', () => window.page.cleanUp())
