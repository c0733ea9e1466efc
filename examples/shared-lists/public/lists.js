'use strict'

/**
 * The lists of one person: a database in this browser, in step with the server's. The server sends what this person may
 * see, and no more: a list and its items name in `_access` who that is.
 *
 *   list:ID          { title, _access: ['tom'] }           of tom alone
 *   item:ID:TIME     { title, done, _access: ['role:list-ID'] }  of a shared list: all who have the role
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
    this.database.changes({ since: 'now', live: true }).on('change', () => tell('change'))
    this.sync = this.database.sync(this.remote, { live: true, retry: true })
    this.sync.on('error', error => tell('state', error.reason ?? error.message))
    this.sync.on('denied', ({ doc }) => tell('state', `refused: ${doc.reason ?? doc.message}`))
    this.sync.on('active', () => tell('state', 'syncing'))
    this.sync.on('paused', error => tell('state', error ? 'offline' : 'in step'))
  }

  /** Ends it, for another person. */
  async stop () {
    this.sync.cancel()
    await this.database.close()
  }

  /** All lists with their items. */
  async all () {
    const rows = async (kind) => (await this.database.allDocs({ include_docs: true, startkey: `${kind}:`, endkey: `${kind}:\uffff` })).rows.map(({ doc }) => doc)
    const [lists, items] = [await rows('list'), await rows('item')]
    return lists.map(list => ({ ...list, key: list._id.slice(5), items: items.filter(item => item._id.startsWith(`item:${list._id.slice(5)}:`)) }))
  }

  addList (title) { return this.database.put({ _id: `list:${crypto.randomUUID()}`, title, _access: [this.name] }) }

  addItem (list, title) { return this.database.put({ _id: `item:${list.key}:${new Date().toISOString()}`, title, done: false, _access: list._access }) }

  tick (item) { return this.database.put({ ...item, done: !item.done }) }

  remove (item) { return this.database.put({ _id: item._id, _rev: item._rev, _access: item._access, _deleted: true }) }

  /** Shares a list with a friend: the app's server gives both the list's role, and the list to the role. */
  share (list, friend) { return ask(`app/lists/${list.key}/share`, { name: friend }) }

  /** Gives the role back: the documents go from this browser, and stay for the others. */
  leave (list) { return ask(`app/lists/${list.key}/leave`, {}) }
}

/** Asks the server, by JSON; throws its reason where it refuses. */
async function ask (path, body, method = 'POST') {
  const answer = await fetch(path, { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
  const value = await answer.json()
  if (!answer.ok) throw new Error(value.reason)
  return value
}
