'use strict'

/**
 * The lists of one person: a database in this browser, in step with the server's. The server sends what this person may
 * see, and nothing else: a list and its items name in `_access` who that is.
 *
 *   list:ID            { title, _access: ['tom'] }                of tom alone
 *   item:ID:TIME-NAME  { title, done, _access: ['role:list-ID'] } of a shared list: all who have the role
 */
class Lists extends EventTarget {
  constructor (name) {
    super()
    this.name = name
    this.database = new PouchDB(`lists of ${name}`)
    this.remote = new PouchDB(new URL('db/lists', location.href).href, { skip_setup: true })
  }

  /** Keeps both databases in step, also after the connection was lost. */
  start () {
    const tell = (type, detail) => this.dispatchEvent(new CustomEvent(type, { detail }))
    this.changes = this.database.changes({ since: 'now', live: true }).on('change', () => tell('change'))
    this.sync = this.database.sync(this.remote, { live: true, retry: true })
    this.sync.on('error', error => tell(error.status === 401 ? 'expired' : 'state', error.reason ?? error.message))
    this.sync.on('denied', ({ doc }) => tell('state', `refused: ${doc.reason ?? doc.message}`))
    // Both ways pause by themselves, each with an error while the server cannot be reached.
    const ways = { pull: 'syncing', push: 'syncing' }
    this.tellWay = () => tell('state', !navigator.onLine ? 'offline' : ['offline', 'syncing', 'in step'].find(state => Object.values(ways).includes(state)))
    for (const way of Object.keys(ways)) {
      const become = state => { ways[way] = state; this.tellWay() }
      this.sync[way].on('active', () => become('syncing'))
      this.sync[way].on('paused', error => become(error ? 'offline' : 'in step'))
    }
    for (const event of ['online', 'offline']) window.addEventListener(event, this.tellWay)
    // A session ends ten minutes after the last request, and a live feed is one long request.
    this.renewal = setInterval(() => ask('db/_session').catch(() => {}), 4 * 60_000)
  }

  /** Ends it, for another person. */
  async stop () {
    clearInterval(this.renewal)
    for (const event of ['online', 'offline']) window.removeEventListener(event, this.tellWay)
    this.changes.cancel()
    this.sync.cancel()
    await this.database.close()
  }

  /** All lists with their items. */
  async all () {
    const { rows } = await this.database.allDocs({ include_docs: true })
    const docs = rows.map(({ doc }) => doc)
    const itemsOf = key => docs.filter(({ _id }) => _id.startsWith(`item:${key}:`))
    return docs.filter(({ _id }) => _id.startsWith('list:')).map(list => ({ ...list, key: list._id.slice(5), items: itemsOf(list._id.slice(5)) }))
  }

  addList (title) { return this.database.put({ _id: `list:${crypto.randomUUID()}`, title, _access: [this.name] }) }

  addItem (list, title) {
    return this.database.put({ _id: `item:${list.key}:${new Date().toISOString()}-${this.name}`, title, done: false, _access: list._access })
  }

  tick (item) { return this.database.put({ ...item, done: !item.done }) }

  remove (item) { return this.database.put({ _id: item._id, _rev: item._rev, _access: item._access, _deleted: true }) }

  /** Who did what to an item, the latest first: the server keeps that. */
  async history (item) {
    const { history } = await ask(`db/lists/${encodeURIComponent(item._id)}/_history`)
    return history.map(({ time, user, patch }) => `${new Date(time).toLocaleString()}, ${user}: ${patch?.map(inWords).join(', ') ?? 'the first version'}`)
  }

  /** Shares a list with a friend: the app's server gives both the list's role, and the list to the role. */
  share (list, friend) { return ask(`db/_app/lists/${list.key}/share`, { body: { name: friend } }) }

  /** Gives the role back: the documents go from this browser, and stay for the others. */
  leave (list) { return ask(`db/_app/lists/${list.key}/leave`, { body: {} }) }
}

function inWords ({ path, value }) {
  if (path === '/done') return value ? 'done' : 'not done'
  return path.startsWith('/_access') ? 'shared' : `changed ${path.slice(1)}`
}

/** Asks the server, by JSON; throws its reason if it refuses. */
async function ask (path, { body, method = body === undefined ? 'GET' : 'POST' } = {}) {
  const answer = await fetch(path, { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
    .catch(() => { throw new Error('The server cannot be reached.') })
  const value = await answer.json()
  if (!answer.ok) throw new Error(value.reason)
  return value
}
