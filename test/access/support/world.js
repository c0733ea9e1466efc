'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { serve } = require('potoroo')
const { Canaries } = require('./canaries')
const { Box, Pouch } = require('./copies')
const { Chance } = require('./chance')
const { designs } = require('./designs')
const { Model } = require('./model')

const ADMIN = { name: 'admin', password: 'correct horse', roles: ['_admin'], admin: true }

/**
 * A server with two databases with access by document, and the people who use them. `whole` has all documents; `part` is
 * without the secret ones, which the observer is never to see. So the observer is never to see a difference between the two.
 *
 */
class World {
  model = new Model()
  begun = Date.now()
  /** Times at which nothing was being changed. @type {number[]} */
  rests = []
  /** Ids of documents that were purged. @type {Set<string>} */
  purged = new Set()
  databases = { whole: 'documents-whole', part: 'documents-apart' }
  /** Texts of one length each, in the place of what differs from database to database. @type {Array<[string, string]>} */
  #tokens = []

  /** Use `open`. @param {any} server @param {Chance} chance */
  constructor (server, chance) {
    this.server = server
    this.chance = chance
    this.canaries = new Canaries(chance.random)
    /** @type {User[]} */
    this.users = []
  }

  /** Lets a time pass at which nothing is changed. */
  async rest () {
    const began = Date.now()
    while (Date.now() < began + 2) await new Promise(resolve => setTimeout(resolve, 1))
    this.rests.push(began + 1)
  }

  /** @param {string} seed */
  static async open (seed) {
    const level = new MemoryLevel()
    const open = () => serve({ port: 0, level, admins: { [ADMIN.name]: ADMIN.password }, config: { chttpd_auth: { iterations: 1 } } })
    const world = new World(await open(), new Chance(seed))
    try {
      for (const name of Object.values(world.databases)) await world.mustAsk('PUT', `/${name}?access=true`)
      await world.server.close()
      await shareKey(level)
      world.server = await open()
      await world.#fill()
    } catch (error) {
      await world.close()
      throw error
    }
    return world
  }

  get observer () { return this.users[0] }
  get admin () { return { ...ADMIN, locals: new Map() } }

  /** Roles that the observer may have, and those that they never have. */
  roles = { open: ['cooks', 'gardeners'], secret: ['spies', 'bankers'] }

  async #fill () {
    for (const name of ['olga', 'pavel', 'quinn', 'rosa']) this.users.push(new User(this, name))
    this.model.people = this.users
    for (const user of this.users) await this.setRoles(user, [])
    for (const name of Object.values(this.databases)) {
      await this.mustAsk('PUT', `/${name}/_security`, { admins: { names: [], roles: [] }, members: { names: this.users.map(user => user.name), roles: [] } })
      const { instance_start_time: started } = await this.mustAsk('GET', `/${name}`)
      this.#tokens.push([started, 'STARTED'])
    }
    for (const name of Object.values(this.databases)) await this.mustAsk('PUT', `/${name}/_history`, { retain: '1d' })
    for (const design of designs) await this.#addDesign(design)
  }

  /** @param {any} design */
  async #addDesign (design) {
    const answers = []
    for (const name of Object.values(this.databases)) answers.push(await this.mustAsk('PUT', `/${name}/${design._id}`, design))
    const { _id: id, ...body } = design
    const document = { id, leaves: [], revs: [], owned: [], secret: false }
    this.model.write(document, { rev: answers[0].rev, deleted: false, body, attachments: {}, path: [answers[0].rev] })
  }

  /** @param {User} user @param {string[]} roles */
  async setRoles (user, roles) {
    const path = `/_users/org.couchdb.user:${user.name}`
    const before = await this.ask(this.admin, { method: 'GET', path })
    const { _rev } = before.status === 200 ? JSON.parse(before.text) : {}
    await this.mustAsk('PUT', path, { _rev, name: user.name, type: 'user', roles, password: user.password })
    user.roles = roles
    this.model.note()
  }

  /**
   * @param {{ name: string, password: string } | null} person
   * @param {{ method: string, path: string, headers?: Record<string, string>, body?: any }} request
   */
  async ask (person, { method, path, headers, body }) {
    const isJson = body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)
    const response = await fetch(this.server.url + path, {
      method,
      redirect: 'manual',
      body: isJson ? JSON.stringify(body) : body,
      headers: {
        Accept: 'application/json',
        ...(person !== null && { Authorization: `Basic ${Buffer.from(`${person.name}:${person.password}`).toString('base64')}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers
      }
    })
    return { status: response.status, headers: [...response.headers], text: Buffer.from(await response.arrayBuffer()).toString('latin1') }
  }

  /**
   * Sends a request to both databases, or to the one with secrets. The other one answers the same.
   *
   * @param {User} person
   * @param {{ method: string, path: string, headers?: Record<string, string>, body?: any }} request its path after the database's name
   * @param {boolean} secret whether it is about secrets
   */
  async askBoth (person, request, secret) {
    const [whole, part] = Object.values(this.databases)
    const answer = await this.ask(person, { ...request, path: `/${whole}${request.path}` })
    if (secret) return answer
    const other = await this.ask(person, { ...request, path: `/${part}${request.path}` })
    assert.equal(other.status, answer.status, `${person.name} ${request.method} ${request.path}: ${answer.status} ${answer.text}, but without the documents of others ${other.status} ${other.text}`)
    return answer
  }

  /**
   * The owner of canaries, as the model keeps it with the document. Readers of a body see the words in it.
   *
   * @param {any} document
   * @param {'id' | 'rev' | 'body'} kind
   * @param {{ body: any }} [leaf]
   */
  ownerOf (document, kind, leaf) {
    const owner = { places: [{ document, kind, leaf }], seenBy: new Set() }
    document.owned.push(owner)
    return owner
  }

  /** A new word in a document. @param {any} document @param {'id' | 'rev' | 'body'} kind @param {{ body: any }} [leaf] */
  wordOf (document, kind, leaf) { return this.canaries.word(this.ownerOf(document, kind, leaf)) }

  /** A new word of a local document. @param {User} person */
  localWordOf (person) { return this.canaries.word({ places: [], seenBy: new Set(), person }) }

  /** Has a document what another one's body and revisions have. @param {any} from @param {any} to */
  share (from, to) {
    for (const owner of from.owned.filter((/** @type {any} */ { places: [{ kind }] }) => kind !== 'id')) {
      owner.places.push({ ...owner.places[0], document: to })
      to.owned.push(owner)
    }
    this.model.note()
  }

  /**
   * Sees to it that an answer has nothing that is not for the person who asked, unless they said it themselves.
   *
   * @param {{ status: number, headers: Array<[string, string]>, text: string }} answer
   * @param {User} person
   * @param {{ method: string, path: string, headers?: any, body?: any }} request
   */
  check (answer, person, request) {
    if (person.admin === true) return
    const asked = `${decodeURIComponent(request.path)} ${JSON.stringify(request.headers)} ${typeof request.body === 'string' ? request.body : JSON.stringify(request.body)}`
    for (const [text, owner] of this.canaries.find(`${JSON.stringify(answer.headers)} ${answer.text}`)) {
      if (asked.includes(text) || this.#mayKnow(person, owner)) continue
      const [{ kind, document: { id, leaves } }] = owner.places.length > 0 ? owner.places : [{ kind: 'body', document: { id: 'a local document', leaves: owner.person.name } }]
      throw new Leak(`${person.name} (${person.roles}) sees ${text}, of the ${kind} of ${id} ${JSON.stringify(leaves)}, in ${request.method} ${request.path} ${JSON.stringify(request.body)}: ${answer.status} …${around(answer.text, text)}…`)
    }
  }

  /** The same of a text that came at some time before now. @param {string} text @param {User} person @param {string} what */
  checkOld (text, person, what) {
    for (const [word, owner] of this.canaries.find(text)) {
      if (owner.person !== person && !owner.seenBy.has(person.name)) throw new Leak(`${person.name} was shown ${word} of ${owner.places[0]?.document.id} in ${what}: …${around(text, word)}…`)
    }
  }

  /** An id or a revision is no secret to who saw it before. @param {User} person @param {any} owner */
  #mayKnow (person, owner) {
    if (owner.person !== undefined) return owner.person === person
    return this.model.mayShow(person, owner) || (owner.places[0].kind !== 'body' && owner.seenBy.has(person.name))
  }

  /** As the administrator, who is not refused. @param {string} method @param {string} path @param {any} [body] */
  async mustAsk (method, path, body) {
    const { status, text } = await this.ask(this.admin, { method, path, body })
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    return JSON.parse(Buffer.from(text, 'latin1').toString())
  }

  /** An answer with words in the place of what is random. @param {{ status: number, headers: Array<[string, string]>, text: string }} answer @param {string} name of the database */
  withoutTokens ({ status, headers, text }, name) {
    const random = ['date', 'x-couch-request-id', 'x-couchdb-body-time', 'keep-alive', 'connection', ...text.includes('"execution_time_ms"') ? ['content-length'] : []]
    const kept = headers.filter(([header]) => !random.includes(header))
    return this.#withoutTokens(`${status}\n${kept.map(header => header.join(': ')).join('\n')}\n\n${text}`, name)
  }

  /** @param {string} text @param {string} name */
  #withoutTokens (text, name) {
    for (const [token, word] of this.#tokens) text = text.replaceAll(token, word)
    text = text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
    text = text.replace(/"execution_time_ms":[\d.]+/g, '"execution_time_ms":0')
    // A member's sequence is encrypted; its length is seen.
    text = text.replace(/\ba-[\w-]{22}(?:~([\w-]+))?/g, (_, state = '') => `a-SEQUENCE ${state.length}`)
    return text.replace(/\b(\d+)-[0-9a-f]{12}\b/g, '$1-INSTANCE').replaceAll(name, 'DATABASE')
  }

  async close () {
    for (const { pouch } of this.users) await pouch.close()
    await this.server.close()
  }
}

/** Gives all databases one key, so that the same edit is the same revision in each. @param {MemoryLevel<string, string>} level */
async function shareKey (level) {
  const records = (await level.iterator().all()).filter(([, value]) => value.includes('"accessKey"'))
  const { accessKey } = JSON.parse(records[0][1])
  assert.equal(records.length, 2)
  for (const [key, value] of records) await level.put(key, JSON.stringify({ ...JSON.parse(value), accessKey }))
}

/** Returns what stands around a word. @param {string} text @param {string} word */
function around (text, word) {
  const at = text.indexOf(word)
  return at === -1 ? text.slice(0, 600) : text.slice(Math.max(0, at - 300), at + 300)
}

/** A user, with copies of what they see. */
class User {
  /** @type {string[]} */
  roles = []
  /** @type {Map<string, any>} */
  locals = new Map()

  /** @param {World} world @param {string} name */
  constructor (world, name) {
    this.name = this.password = name
    this.pouch = new Pouch(world, this)
    this.box = new Box(world, this)
  }
}

/** Somebody sees what is not for them. */
class Leak extends assert.AssertionError {
  /** @param {string} message */
  constructor (message) { super({ message }) }
}

module.exports = { Leak, User, World }
