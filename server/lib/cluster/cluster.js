'use strict'

const { setTimeout: wait } = require('node:timers/promises')
const { badRequest, createError } = require('@potoroo/errors')
const { Balance } = require('./balance')
const { Catalogue } = require('./catalogue')
const { readClusterSettings } = require('./cluster-settings')
const { LinkListener } = require('./link-listener')
const { Links } = require('./links')
const { Membership } = require('./membership')
const { AWAY, CATALOGUE, HERE, Ownership, leaseOf } = require('./ownership')
const { PAUSE, RequestRouter, TAKEOVER } = require('./request-router')
const { refuseRestoring } = require('./restoration')
const { Watch } = require('./watch')
const { SELF, askInside } = require('../passing/inner-request')

/** How long requests that others passed here may go on when this server stops, milliseconds. */
const FAREWELL = 3000

/** The same where another server needs a database, milliseconds. */
const HANDOVER = 500

/** How long who sets something waits until all others have it, milliseconds. */
const SPREAD = 500

/** How often idle databases are looked for, milliseconds. */
const IDLE_ROUND = 5000

/** How long requests may go on when a database is handed over to balance the load, milliseconds. */
const BALANCING = 1000

/** This server among those that share an engine. */
class Cluster {
  #level
  #foundation
  #settings
  /** @type {Membership} */
  #membership
  /** @type {Ownership} */
  #ownership
  #balance = new Balance()
  #links
  #router
  #listener
  #catalogue
  #watch
  /** @type {any} */
  #service
  /** @type {NodeJS.Timeout | undefined} */
  #idling
  #isOpen = false
  /** Leases of databases that somebody has to follow. @type {Set<string>} */
  #followed = new Set()
  /** Answers to what other servers ask. @type {Map<string, (value: any) => any>} */
  #verbs = new Map(Object.entries({
    updated: list => this.#catalogue.heed(list),
    look: () => this.#watch.read(),
    name: async name => { if (!this.ownsCatalogue) await this.#service.databases.users.lookUp(name) },
    forget: name => { if (name !== null) this.#service.users.forget(name) },
    wrong: key => this.#service.authenticator.heedWrongPassword(key),
    get: async url => (await this.ask({ url })).body,
    take: async lease => {
      this.#ownership.forget(lease)
      await this.#ownership.find(lease, true)
    },
    give: async ({ lease, dropped }) => {
      if (dropped !== undefined) this.#service.databases.users.forget(dropped)
      await this.#ownership.give(lease, HANDOVER)
    }
  }))

  /**
   * @param {import('../service/foundation').Foundation} foundation
   * @param {any} level of an engine that has leases
   */
  constructor (foundation, level) {
    const { config, log } = foundation
    this.#foundation = foundation
    this.#level = level
    const settings = this.#settings = readClusterSettings(config, foundation.folder)
    /** @param {string} text */
    const warn = text => log.line('warning', text)
    this.#listener = new LinkListener({
      id: () => this.#membership.id,
      secret: settings.secret,
      tls: settings.tls,
      handle: (req, res) => this.#isOpen ? foundation.handle(req, res) : res.move(),
      answer: (what, value) => this.#answer(what, value)
    })
    this.#membership = new Membership(level.leases, { ...settings, load: () => this.#balance.measure(this.#ownership.works, performance.now()), warn })
    this.#ownership = new Ownership(level, this.#membership, { lifetime: settings.lifetime, accept: name => this.#accept(name), release: name => this.#release(name) })
    this.#links = new Links(() => ({ from: this.#membership.id, secret: settings.secret, tls: settings.tls, write: text => log.append(text), warn }))
    this.#router = new RequestRouter(foundation, settings, this.#ownership, this.#links)
    this.#catalogue = new Catalogue(foundation, this)
    this.#watch = new Watch(level, config, warn)
    config.share(sections => this.#keep(sections), () => this.#ownership.holds(CATALOGUE))
  }

  /** Settings were changed here. @param {Record<string, Record<string, string | null>>} sections @throws NOT_OWNER, UNAVAILABLE */
  async #keep (sections) {
    try {
      await this.#watch.write(this.catalogueLevel, sections)
      await this.#spread().catch(() => {})
    } catch (error) {
      this.#watch.revert()
      throw AWAY.has(error.code) ? createError('UNAVAILABLE', { cause: error }) : error
    }
  }

  /** Has the others look for what was stored: they would find it by themselves a moment later. */
  async #spread () {
    // Some may have come since.
    await this.#membership.refresh()
    await Promise.race([this.#tellOthers('look', null), wait(SPREAD)])
  }

  /** Has the others look up a database that was made or dropped here: they would find it by themselves a moment later. @param {string} name */
  async spreadName (name) { await Promise.race([this.#tellOthers('name', name), wait(SPREAD, undefined, { ref: false })]) }

  /** @param {string} what @param {any} value */
  #tellOthers (what, value) {
    const others = this.#membership.members.filter(({ id }) => id !== this.#membership.id)
    return Promise.allSettled(others.map(async other => (await this.#links.to(other)).ask(what, value)))
  }

  /**
   * Returns what the other servers answer of themselves; those that do not answer are left out.
   *
   * @param {string} url
   * @returns {Promise<any[]>}
   */
  async gather (url) {
    const answers = await this.#tellOthers('get', url)
    return answers.flatMap(each => each.status === 'fulfilled' && each.value != null ? [each.value] : [])
  }

  /** Has the others forget a user who changed here. @param {string | null} name null: all may have */
  #spreadUser (name) { if (this.owns(this.#service.users.database)) this.#tellOthers('forget', name) }

  /** Takes the settings that others have stored. */
  readConfiguration () { return this.#watch.read() }

  /** For Databases. @type {import('@potoroo/document-store').Sharing} */
  get sharing () {
    return {
      levelOf: number => this.#ownership.levelOf(leaseOf(number)),
      catalogue: () => this.catalogueLevel,
      seize: (number, name) => this.#seize(leaseOf(number), name)
    }
  }

  /** This server among the others. It is another one after each time that it was given up. */
  get id () { return this.#membership.id }

  /** The place where other servers reach this one. */
  get address () { return this.#membership.address }

  /** The level that the catalogue is written on. @throws NOT_OWNER */
  get catalogueLevel () { return this.#ownership.levelOf(CATALOGUE) }

  get ownsCatalogue () { return this.#ownership.holds(CATALOGUE) }

  /** Whether requests about databases can be answered. */
  get isAlive () { return this.#membership.isAlive }

  /** The servers that live, by the names that are shown. */
  get names () { return this.#membership.members.map(nameOf).sort() }

  /** The name of this one. */
  get name () { return nameOf(this.#membership) }

  /**
   * Joins the others, and waits until there is a catalogue that this server can use.
   *
   * @param {import('../service/service').Service} service
   */
  async open (service) {
    this.#service = service
    const { users } = service.databases
    this.#catalogue.service = service
    this.#router.service = service
    service.databases.cluster = this
    users.on('unsure', number => this.#ownership.give(number === null ? CATALOGUE : leaseOf(number)))
    users.on('updated', (name, store) => this.#catalogue.note(name, store))
    service.onWrongPassword = key => { this.#tellOthers('wrong', key) }
    service.users.onForget(name => this.#spreadUser(name))
    const { host, port } = this.#settings.listen
    const bound = await this.#listener.listen({ host, port })
    const address = this.#settings.address || `${host.includes(':') ? `[${host}]` : host}:${bound.port}`
    this.#foundation.log.line('notice', `Listening at ${address} for other servers`)
    await this.#membership.open(address)
    await refuseRestoring(this.#level)
    if (this.#settings.secret === '' && this.#membership.members.length > 1) this.#foundation.log.line('warning', 'Other servers use this storage, and [cluster] secret is not set: requests for what they have are refused')
    this.#isOpen = true
    await this.#watch.read()
    const deadline = performance.now() + 30_000
    // Somebody has the catalogue before anything is served, and has made what all share.
    // The one that has it may have come after this one looked who is there.
    while (await this.#router.ownerOf(CATALOGUE, true) !== HERE && this.#foundation.config.get('couchdb', 'uuid') === '') {
      if (performance.now() > deadline) throw createError('UNAVAILABLE', { reason: 'Timed out waiting for another server to prepare the cluster' })
      await wait(PAUSE)
      await this.#watch.read()
    }
    this.#watch.open(service)
    this.#idling = setInterval(() => this.#round(), IDLE_ROUND).unref()
    this.#membership.on('beat', () => this.#shareWork().catch(() => {}))
  }

  /** Idle databases have no owner; replications always have one. */
  #round () {
    this.#links.keep(new Set(this.#membership.members.map(({ id }) => id)))
    this.#followed = new Set(this.#busy().map(name => leaseOf(this.#service.databases.users.numberOf(name))))
    this.#ownership.giveIdle(this.#settings.idle, name => name === CATALOGUE || this.#followed.has(name))
    // The one who has the catalogue sees to it that somebody runs them.
    this.#ownership.find(CATALOGUE, false).catch(() => {})
    if (this.ownsCatalogue) for (const name of this.#busy()) this.ask({ url: `/${encodeURIComponent(name)}` }).catch(() => {})
  }

  /** Hands a database over to another server that has less to do. */
  async #shareWork () {
    const { id, members, isAlive } = this.#membership
    if (!this.#isOpen || !isAlive) return
    const move = this.#balance.choose(id, members, name => name !== CATALOGUE && !this.#followed.has(name))
    if (move === null) return
    // One that cannot be reached gets nothing.
    const link = await this.#links.to(move.to)
    if (!await this.#ownership.handOver(move.name, move.to, BALANCING)) return
    this.#foundation.log.line('info', `${move.name} is handed over to the server at ${move.to.address}, which has less to do`)
    await link.ask('take', move.name)
  }

  /** Databases that somebody has to follow. @returns {string[]} */
  #busy () {
    const { config } = this.#foundation
    return this.#replicators().concat(config.boolean('couch_peruser', 'enable') ? [this.#service.users.database] : [])
  }

  #replicators () { return this.#service.databases.list().filter((/** @type {string} */ name) => name.endsWith('_replicator')) }

  /** Answers a request by the owner of what it is about: see request-router.js. @type {RequestRouter['answersElsewhere']} */
  answersElsewhere (req, res, name, route) { return this.#router.answersElsewhere(req, res, name, route) }

  /**
   * Asks the owner of what a path is about, as an administrator.
   *
   * @param {{ method?: string, url: string, body?: any }} request `body`: JSON
   * @returns {Promise<{ status: number, body: any }>} body: what the JSON says
   */
  async ask ({ method, url, body }) {
    const answer = await askInside(this.#foundation.handle, { method, url, body: body && JSON.stringify(body), extra: { user: SELF, internal: true } })
    const text = (await answer.bytes()).toString()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
  }

  /** Tells the owner of the catalogue of databases that were updated. @param {any[]} list */
  async tellCatalogue (list) {
    const owner = await this.#ownership.find(CATALOGUE, false)
    if (owner === HERE) return this.#catalogue.heed(list)
    const link = await this.#links.to(owner)
    await link.ask('updated', list)
  }

  /** Answers what another server asks of this one. @param {string} what @param {any} value @throws BAD_REQUEST */
  async #answer (what, value) {
    const verb = this.#verbs.get(what)
    if (verb === undefined) throw badRequest(`There is no ${what} between servers`)
    return await verb(value) ?? true
  }

  /** Something was taken. @param {string} name */
  async #accept (name) {
    if (name === CATALOGUE) return this.#catalogue.open()
    if (!await this.#service.databases.users.isThere(name.slice(3))) throw createError('NO_DATABASE')
  }

  /** Something is no longer this server's. @param {string} name */
  async #release (name) {
    if (name === CATALOGUE) return this.#catalogue.close()
    await this.#service.databases.users.release(name.slice(3))
  }

  /**
   * Becomes the owner of a database, and remains it as long as something here has it open.
   *
   * @param {string} name
   * @throws UNAVAILABLE
   */
  async own (name) {
    const number = await this.#service.databases.users.lookUp(name)
    // To get it says whether it has shards, which have owners of their own.
    if (number !== undefined) await this.#seize(leaseOf(number))
  }

  /** Whether a database is this server's now. @param {string} name */
  owns (name) {
    const lease = this.#router.leaseOf(name)
    return lease !== undefined && this.#ownership.isMine(lease)
  }

  /** Whether a database is in one piece, and not this server's now. @param {string} name */
  async isWholeElsewhere (name) {
    if (this.owns(name)) return false
    // Another server may have made it since, of one piece or of several.
    await this.#router.lookUp(name, true)
    const { databases } = this.#service
    if (databases.sharded(name) !== undefined) return false
    // With access by document no two users are told the same.
    const reader = await databases.users.freshReader(name)
    return reader !== null && !reader.byDocument
  }

  /** A database is not idle until this is called back. @param {string} name that is owned @returns {() => void} */
  hold (name) { return this.#ownership.use(/** @type {string} */ (this.#router.leaseOf(name)), { isKept: true }) }

  /** @param {string} lease @param {string} [dropped] the name of a database that is being dropped */
  async #seize (lease, dropped) {
    await this.#ownership.seize(lease, async owner => {
      const link = await this.#links.to(owner).catch(() => null)
      if (link === null || await link.ask('give', { lease, dropped }) === undefined) await wait(PAUSE)
    }, performance.now() + this.#settings.lifetime + TAKEOVER)
  }

  /** Takes no more requests from others, and gives all that it owns: they have it at once. */
  async close () {
    clearInterval(this.#idling)
    this.#isOpen = false
    this.#watch.close()
    await this.#ownership.close(FAREWELL)
    await this.#listener.leave()
    await this.#membership.close()
    this.#links.close()
    await this.#listener.close()
  }
}

/** As CouchDB names nodes. @param {{ address: string }} server */
function nameOf ({ address }) { return `potoroo@${address}` }

module.exports = { CATALOGUE, Cluster }
