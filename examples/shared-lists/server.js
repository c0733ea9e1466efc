'use strict'

// The web server of the shared lists: the page, the databases at /db, and at /db/_app who shares which list.
// Start it with `node examples/shared-lists/server.js [folder]`.

const { once } = require('node:events')
const path = require('node:path')
const express = require('express')
const potoroo = require('potoroo')

const LISTS = 'lists'

/** @param {number} status @param {string} reason */
const failure = (status, reason) => Object.assign(new Error(reason), { status })

/** Gives people their roles. It asks the databases as the administrator does: over HTTP. */
class People {
  /** @param {string} url of the databases @param {string} password of the administrator, `app` */
  constructor (url, password) {
    this.url = url
    this.authorization = `Basic ${Buffer.from(`app:${password}`).toString('base64')}`
  }

  /** @param {string} method @param {string} path @param {object} headers @param {any} [body] @returns {Promise<any>} */
  async ask (method, path, headers, body) {
    const answer = await fetch(this.url + path, { method, headers: { 'Content-Type': 'application/json', ...headers }, body: body && JSON.stringify(body) })
    const value = /** @type {any} */ (await answer.json())
    if (!answer.ok) throw failure(answer.status, value.reason)
    return value
  }

  asAdmin (method, path, body) { return this.ask(method, path, { Authorization: this.authorization }, body) }

  /** Makes the database, in which each document says who may read and write it, and which keeps history. */
  async prepare () {
    await this.asAdmin('PUT', `/${LISTS}?access=true`).catch(error => { if (error.status !== 412) throw error })
    await this.asAdmin('PUT', `/${LISTS}/_security`, { admins: {}, members: { roles: ['member'] } })
    await this.asAdmin('PUT', `/${LISTS}/_history`, { versions: 20 })
  }

  pathOf (name) { return `/_users/org.couchdb.user:${encodeURIComponent(name)}` }

  async signUp (name, password) {
    try {
      await this.asAdmin('PUT', this.pathOf(name), { name, password, roles: ['member'], type: 'user' })
    } catch (error) {
      throw error.status === 409 ? failure(409, `Somebody is called ${name} already.`) : error
    }
  }

  /** Changes the roles of a person. */
  async change (name, edit) {
    const user = await this.asAdmin('GET', this.pathOf(name)).catch(error => {
      throw error.status === 404 ? failure(404, `Nobody is called ${name}.`) : error
    })
    await this.asAdmin('PUT', this.pathOf(name), { ...user, roles: edit(user.roles) })
  }

  give (name, role) { return this.change(name, roles => [...new Set([...roles, role])]) }
  take (name, role) { return this.change(name, roles => roles.filter(each => each !== role)) }

  /** The name of who sends a request, by the cookie of their session. */
  async whoSends ({ headers: { cookie = '' } }) {
    const { userCtx: { name } } = await this.ask('GET', '/_session', { Cookie: cookie })
    if (name === null) throw failure(401, 'Log in first.')
    return name
  }

  /** A list and its items, as far as who sends a request sees them: nobody shares what is not theirs. */
  async documentsOf ({ headers: { cookie = '' } }, list) {
    const { results: [{ rows: [head] }, { rows: items }] } = await this.ask('POST', `/${LISTS}/_all_docs/queries`, { Cookie: cookie }, {
      queries: [{ key: `list:${list}`, include_docs: true }, { startkey: `item:${list}:`, endkey: `item:${list}:\uffff`, include_docs: true }]
    })
    if (head === undefined) throw failure(404, 'There is no such list.')
    return [head, ...items].map(({ doc }) => doc)
  }

  /** Gives documents to a role: only administrators change whose a document is. */
  giveTo (role, docs) { return this.asAdmin('POST', `/${LISTS}/_bulk_docs`, { docs: docs.map(doc => ({ ...doc, _access: [`role:${role}`] })) }) }
}

/** A list that is shared is that of a role. */
const roleOf = list => `list-${list}`

/** @param {People} people */
function routesOf (people) {
  const router = express.Router().use(express.json())
  router.post('/people', async ({ body: { name, password } }, res) => {
    await people.signUp(name, password)
    res.json({ ok: true })
  })
  router.post('/lists/:list/share', async (req, res) => {
    const sender = await people.whoSends(req)
    const docs = await people.documentsOf(req, req.params.list)
    const role = roleOf(req.params.list)
    for (const name of [req.body.name, sender]) await people.give(name, role)
    await people.giveTo(role, docs)
    res.json({ ok: true })
  })
  router.post('/lists/:list/leave', async (req, res) => {
    await people.take(await people.whoSends(req), roleOf(req.params.list))
    res.json({ ok: true })
  })
  return router
}

/**
 * @param {{ port?: number, password?: string } & potoroo.PotorooOptions} options
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
async function start ({ port = 0, password = process.env.APP_PASSWORD ?? 'only to try it out', ...options }) {
  const databases = potoroo({ ...options, admins: { app: password } })
  await databases.ready
  const app = express()
  const own = express.Router()
  // Below /db, so that the cookie of the session comes with them.
  app.use('/db/_app', own)
  app.use('/db', databases)
  app.use(express.static(path.join(__dirname, 'public')))
  app.use('/pouchdb', express.static(path.dirname(require.resolve('pouchdb/dist/pouchdb.min.js'))))
  const server = app.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`
  const people = new People(`${url}/db`, password)
  await people.prepare()
  own.use(routesOf(people))
  app.use((error, req, res, next) => { res.status(error.status ?? 500).json({ reason: error.message }) })
  return {
    url,
    async close () {
      server.close()
      await databases.close()
      server.closeAllConnections()
    }
  }
}

module.exports = { start }

if (require.main === module) {
  const [, , folder = './shared-lists-data', port = 8000] = process.argv
  start({ path: folder, port: Number(port) }).then(({ url }) => console.log(`Open ${url}`)).catch(error => {
    console.error(error.message)
    process.exit(1) // what is open would keep it running
  })
}
